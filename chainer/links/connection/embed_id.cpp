// SPDX-License-Identifier: MIT
#include "chainer/functions/connection.h"
#include "chainer/initializers/initializers.h"
#include "chainer/links/connection.h"

namespace chainer::links {

EmbedID::EmbedID(int64_t in_size, int64_t out_size, const EmbedIDOptions& o)
    : W(o.initialW.value_or(initializers::Normal(1.0)), Shape{in_size, out_size}), ignore_label_(o.ignore_label) {}

Variable EmbedID::forward(const Variable& x) { return functions::embed_id(x, W, {.ignore_label = ignore_label_}); }

CHAINER_DEFINE_MEMBERS(EmbedID, W)

}  // namespace chainer::links
