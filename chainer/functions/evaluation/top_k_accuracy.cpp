// SPDX-License-Identifier: MIT
#include "chainer/functions/evaluation/metrics.h"
#include "chainer/functions/evaluation/scores.h"

namespace chainer::functions {

Variable TopKAccuracy::operator()(const Variable& y, const Variable& t, int64_t k,
                                  std::optional<int64_t> ignore_label) const {
  const detail::ClassScores s("top_k_accuracy", y, t);
  if (k < 1 || k > s.classes) throw ValueError("top_k_accuracy: k must be in 1 ... ", s.classes, ", not ", k);
  int64_t counted = 0, right = 0;
  for (int64_t i = 0; i < s.size(); ++i) {
    if (ignore_label && s.labels[static_cast<std::size_t>(i)] == *ignore_label) continue;
    const int64_t label = s.label(i);
    const double own = s.score(i, label);
    int64_t before = 0;  // scores ranked above the label's: larger, NaN, or equal and of a later class
    for (int64_t c = 0; c < s.classes; ++c) before += !(s.score(i, c) < own || (s.score(i, c) == own && c <= label));
    ++counted;
    right += before < k;
  }
  return detail::result(counted ? static_cast<double>(right) / static_cast<double>(counted) : 0, y);
}

}  // namespace chainer::functions
