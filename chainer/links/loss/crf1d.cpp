// SPDX-License-Identifier: MIT
#include "chainer/functions/loss.h"
#include "chainer/links/loss.h"

namespace chainer::links {

CHAINER_DEFINE_MEMBERS(CRF1d, cost)

CRF1d::CRF1d(int64_t n_label, const InitializerArg& initial_cost)
    : cost(initial_cost ? initial_cost : InitializerArg(0), Shape{n_label, n_label}) {}

Variable CRF1d::forward(const Variables& xs, const Variables& ys, Reduction reduce) {
  return functions::crf1d(cost, xs, ys, reduce);
}

functions::ArgmaxCrf1d::Result CRF1d::argmax(const Variables& xs) { return functions::argmax_crf1d(cost, xs); }

}  // namespace chainer::links
