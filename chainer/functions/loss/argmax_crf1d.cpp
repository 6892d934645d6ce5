// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array/pick.h"
#include "chainer/functions/loss/crf1d.h"
#include "chainer/functions/loss.h"
#include "chainer/functions/math.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {

ArgmaxCrf1d::Result ArgmaxCrf1d::operator()(const Variable& cost, const Variables& xs) const {
  Variables wide = xs;
  wide.push_back(cost);
  if (cast_in_mixed_precision(MixedPrecision::wide, wide)) {
    const Variable wide_cost = wide.back();
    wide.pop_back();
    return (*this)(wide_cost, wide);
  }
  check_crf1d(name, cost, xs);
  // Viterbi: for each step, the score of the best path to each label and the label before it.
  Variables scores;
  Arrays from;
  Variable alpha = xs[0];
  std::vector<Array> last(xs.size());  // the best last label of the sequences that end at a step
  const auto finish = [&](std::size_t step, const Variable& a) {
    scores.push_back(max(a, 1));
    last[step] = chainer::argmax(a.array(), 1);
  };
  for (std::size_t i = 1; i < xs.size(); ++i) {
    const int64_t now = xs[i].shape()[0];
    if (now < alpha.shape()[0]) {
      finish(i - 1, pick(alpha, Slice(now, std::nullopt), 0));
      alpha = pick(alpha, Slice(0, now), 0);
    }
    const Variable ways = expand_dims(alpha, 2) + expand_dims(cost, 0);
    from.push_back(chainer::argmax(ways.array(), 1));
    alpha = max(ways, 1) + xs[i];
  }
  finish(xs.size() - 1, alpha);

  Result result;
  Variables in_order;
  for (std::size_t i = scores.size(); i-- > 0;) in_order.push_back(scores[i]);
  result.s = concat(in_order, 0);
  std::vector<Array> path(xs.size());
  Array label = Array({0}, int64);
  for (std::size_t i = xs.size(); i-- > 0;) {
    if (i + 1 < xs.size() && label.size()) label = chainer::get_item(from[i], {arange(label.size()), label});
    if (last[i]) label = label.size() ? concatenate({label, last[i]}) : last[i];
    path[i] = label.astype(int32);
  }
  for (const Array& p : path) result.ps.push_back(p);
  return result;
}

}  // namespace chainer::functions
