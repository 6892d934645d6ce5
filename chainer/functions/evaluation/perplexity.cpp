// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>

#include "chainer/functions/evaluation/metrics.h"
#include "chainer/functions/evaluation/scores.h"

namespace chainer::functions {

Variable Perplexity::operator()(const Variable& y, const Variable& t, int64_t ignore_label) const {
  const detail::ClassScores s("perplexity", y, t);
  double sum = 0;
  int64_t counted = 0;
  for (int64_t i = 0; i < s.size(); ++i) {
    if (s.labels[static_cast<std::size_t>(i)] == ignore_label) continue;
    const double own = s.score(i, s.label(i));
    double largest = -std::numeric_limits<double>::infinity(), total = 0;
    for (int64_t c = 0; c < s.classes; ++c) largest = std::max(largest, s.score(i, c));
    for (int64_t c = 0; c < s.classes; ++c) total += std::exp(s.score(i, c) - largest);
    sum += std::log(total) + largest - own;
    ++counted;
  }
  return detail::result(std::exp(sum / static_cast<double>(counted)), y);
}

}  // namespace chainer::functions
