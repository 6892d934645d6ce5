// SPDX-License-Identifier: MIT
// The calibration curve and the expected calibration error.
#include <algorithm>

#include "chainer/functions/evaluation/metrics.h"
#include "chainer/functions/evaluation/scores.h"

namespace chainer::functions {
namespace {

struct Bin {
  double probability = 0, came_true = 0;
  int64_t count = 0;
};

// Bins of equal width. Each contains its upper edge; the first also contains 0.
std::vector<Bin> bins_of(const char* function, const Variable& y, const Variable& t, int64_t bins) {
  if (bins < 1) throw ValueError(function, ": bins must be 1 or more, not ", bins);
  std::vector<double> edges;
  for (int64_t i = 1; i < bins; ++i) edges.push_back(static_cast<double>(i) * (1.0 / static_cast<double>(bins)));
  std::vector<Bin> out(static_cast<std::size_t>(bins));
  const auto add = [&](double probability, bool came_true, std::size_t at) {
    if (!(probability >= 0 && probability <= 1))
      throw ValueError(function, ": the probability ", probability, " of element ", at, " is not in 0 ... 1");
    Bin& b = out[static_cast<std::size_t>(std::lower_bound(edges.begin(), edges.end(), probability) - edges.begin())];
    b.probability += probability;
    b.came_true += came_true;
    ++b.count;
  };
  if (y.array().ndim() < 2) {
    const detail::BinaryScores s(function, y, t, false);
    for (std::size_t i = 0; i < s.scores.size(); ++i) add(s.scores[i], s.labels[i], i);
  } else {
    const detail::ClassScores s(function, y, t);
    for (int64_t i = 0; i < s.size(); ++i) {
      int64_t best = 0;
      for (int64_t c = 1; c < s.classes; ++c)
        if (s.score(i, c) > s.score(i, best)) best = c;
      add(s.score(i, best), best == s.label(i), static_cast<std::size_t>(i));
    }
  }
  std::erase_if(out, [](const Bin& b) { return b.count == 0; });
  return out;
}

}  // namespace

CalibrationCurve::Result CalibrationCurve::operator()(const Variable& y, const Variable& t, int64_t bins) const {
  std::vector<double> came_true, predicted;
  std::vector<int64_t> count;
  for (const Bin& b : bins_of("calibration_curve", y, t, bins)) {
    came_true.push_back(b.came_true / static_cast<double>(b.count));
    predicted.push_back(b.probability / static_cast<double>(b.count));
    count.push_back(b.count);
  }
  return {detail::result(came_true, y), detail::result(predicted, y), detail::result(count, y)};
}

Variable CalibrationError::operator()(const Variable& y, const Variable& t, int64_t bins) const {
  double sum = 0;
  int64_t count = 0;
  for (const Bin& b : bins_of("calibration_error", y, t, bins)) {
    sum += std::abs(b.came_true - b.probability);
    count += b.count;
  }
  return detail::result(count ? sum / static_cast<double>(count) : 0, y);
}

}  // namespace chainer::functions
