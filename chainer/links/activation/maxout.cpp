// SPDX-License-Identifier: MIT
#include "chainer/functions/activation.h"
#include "chainer/links/activation.h"

namespace chainer::links {

Maxout::Maxout(std::optional<int64_t> in_size, int64_t out_size, int64_t pool_size, const LinearOptions& o)
    : linear(in_size, out_size * pool_size, o), pool_size_(pool_size) {}
Variable Maxout::forward(const Variable& x) { return functions::maxout(linear(x), pool_size_); }

CHAINER_DEFINE_MEMBERS(Maxout, linear)

}  // namespace chainer::links
