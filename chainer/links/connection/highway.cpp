// SPDX-License-Identifier: MIT
#include "chainer/functions/activation.h"
#include "chainer/functions/math.h"
#include "chainer/links/connection.h"

namespace chainer::links {

Highway::Highway(int64_t in_out_size, const HighwayOptions& o)
    : plain(in_out_size, in_out_size, {.nobias = o.nobias, .initialW = o.init_Wh, .initial_bias = o.init_bh}),
      transform(in_out_size, in_out_size,
                {.nobias = o.nobias, .initialW = o.init_Wt, .initial_bias = o.init_bt.value_or(-1.0)}),
      activate_(o.activate) {}
Variable Highway::forward(const Variable& x) {
  const Variable gate = functions::sigmoid(transform(x));
  return activate_(plain(x)) * gate + x * (1 - gate);
}

CHAINER_DEFINE_MEMBERS(Highway, plain, transform)

}  // namespace chainer::links
