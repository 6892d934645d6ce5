// SPDX-License-Identifier: MIT
// The precision-recall curve and its area.
#include <algorithm>

#include "chainer/functions/evaluation/metrics.h"
#include "chainer/functions/evaluation/scores.h"

namespace chainer::functions {
namespace {

double steps_of(const detail::BinaryScores& s) {
  const detail::Counts c(s);
  double sum = 0, before = 0;
  for (std::size_t i = 0; i < c.thresholds.size(); ++i) {
    sum += (c.true_positives[i] - before) * c.true_positives[i] / (c.true_positives[i] + c.false_positives[i]);
    before = c.true_positives[i];
  }
  return sum / static_cast<double>(s.positives);
}
void require_positives(const char* function, const detail::BinaryScores& s) {
  if (s.positives == 0) throw ValueError(function, ": at least one label must be 1, none of ", s.labels.size(), " is");
}

}  // namespace

PrecisionRecallCurve::Result PrecisionRecallCurve::operator()(const Variable& y, const Variable& t) const {
  const detail::BinaryScores s("precision_recall_curve", y, t, false);
  require_positives("precision_recall_curve", s);
  detail::Counts c(s);
  std::vector<double> precision, recall;
  for (std::size_t i = c.thresholds.size(); i-- > 0;) {
    precision.push_back(c.true_positives[i] / (c.true_positives[i] + c.false_positives[i]));
    recall.push_back(c.true_positives[i] / static_cast<double>(s.positives));
  }
  precision.push_back(1);
  recall.push_back(0);
  std::reverse(c.thresholds.begin(), c.thresholds.end());
  return {detail::result(precision, y), detail::result(recall, y), detail::result(c.thresholds, y)};
}

Variable AveragePrecision::operator()(const Variable& y, const Variable& t) const {
  if (y.array().ndim() != 2) {
    const detail::BinaryScores s("average_precision", y, t, false);
    require_positives("average_precision", s);
    return detail::result(steps_of(s), y);
  }
  const detail::ClassScores all("average_precision", y, t);
  double sum = 0;
  for (int64_t label = 0; label < all.classes; ++label)
    sum += steps_of(detail::BinaryScores("average_precision", all, label));
  return detail::result(sum / static_cast<double>(all.classes), y);
}

}  // namespace chainer::functions
