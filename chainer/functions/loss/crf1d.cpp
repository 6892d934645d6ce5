// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array/pick.h"
#include "chainer/functions/loss/crf1d.h"
#include "chainer/functions/loss/reduced.h"
#include "chainer/functions/math.h"
#include "chainer/functions/mixed.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {

void check_crf1d(std::string_view name, const Variable& cost, const Variables& xs) {
  if (xs.empty()) throw ValueError(name, ": xs has no time steps");
  if (cost.ndim() != 2 || cost.shape()[0] != cost.shape()[1])
    throw DimensionError(name, ": cost must be a square matrix, got shape ", cost.shape());
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (xs[i].ndim() != 2 || xs[i].shape()[1] != cost.shape()[0])
      throw DimensionError(name, ": xs[", i, "] must have shape (batch, ", cost.shape()[0], "), got ", xs[i].shape());
    if (xs[i].dtype() != cost.dtype() || !is_floating(cost.dtype()))
      throw TypeError(name, ": cost and xs must have the same floating dtype; cost has ", cost.dtype(), ", xs[", i,
                      "] has ", xs[i].dtype());
    if (i && xs[i].shape()[0] > xs[i - 1].shape()[0])
      throw DimensionError(name, ": sequences must be sorted by length, the longest first; xs[", i, "] has ",
                           xs[i].shape()[0], " items, the step before ", xs[i - 1].shape()[0]);
  }
}

Variable Crf1d::operator()(const Variable& cost, const Variables& xs, const Variables& ys, Reduction reduce) const {
  Variables wide = xs;
  wide.push_back(cost);
  if (cast_in_mixed_precision(MixedPrecision::wide, wide)) {
    const Variable wide_cost = wide.back();
    wide.pop_back();
    return (*this)(wide_cost, wide, ys, reduce);
  }
  check_crf1d(name, cost, xs);
  if (ys.size() != xs.size()) throw ValueError("crf1d: xs has ", xs.size(), " time steps, ys ", ys.size());
  const int64_t K = cost.shape()[0];
  for (std::size_t i = 0; i < ys.size(); ++i) {
    if (ys[i].shape() != Shape{xs[i].shape()[0]} || is_floating(ys[i].dtype()))
      throw DimensionError("crf1d: ys[", i, "] must be integers of shape ", Shape{xs[i].shape()[0]}, ", got ",
                           ys[i].dtype(), " of shape ", ys[i].shape());
    const std::vector<int64_t> labels = ys[i].array().to_vector<int64_t>();
    for (std::size_t b = 0; b < labels.size(); ++b)
      if (labels[b] < 0 || labels[b] >= K)
        throw IndexError("crf1d: label ", labels[b], " in ys[", i, "] at position ", b, " is not in 0 ... ", K - 1);
  }

  // When sequences end, their rows leave alpha; they are appended from the last step to the first.
  Variables finished_z, finished_score;
  Variable alpha = xs[0], score = select_item(xs[0], ys[0]);
  for (std::size_t i = 1; i < xs.size(); ++i) {
    const int64_t now = xs[i].shape()[0];
    if (now < alpha.shape()[0]) {
      finished_z.push_back(logsumexp(pick(alpha, Slice(now, std::nullopt), 0), 1));
      finished_score.push_back(pick(score, Slice(now, std::nullopt), 0));
      alpha = pick(alpha, Slice(0, now), 0), score = pick(score, Slice(0, now), 0);
    }
    if (now == 0) break;
    alpha = logsumexp(expand_dims(alpha, 2) + expand_dims(cost, 0), 1) + xs[i];
    const Array before = ys[i - 1].array()[Slice(0, now)];
    score = score + select_item(xs[i], ys[i]) + get_item(cost, {before, ys[i].array()});
  }
  Variables all_z = {logsumexp(alpha, 1)}, all_score = {score};
  for (std::size_t i = finished_z.size(); i-- > 0;) {
    all_z.push_back(finished_z[i]);
    all_score.push_back(finished_score[i]);
  }
  const Variable loss = concat(all_z, 0) - concat(all_score, 0);
  return reduced(loss, reduce, name, {Reduction::mean, Reduction::no});
}

}  // namespace chainer::functions
