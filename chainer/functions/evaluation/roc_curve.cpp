// SPDX-License-Identifier: MIT
// The ROC curve and areas under curves.
#include <algorithm>
#include <limits>
#include <numeric>

#include "chainer/functions/evaluation/metrics.h"
#include "chainer/functions/evaluation/scores.h"

namespace chainer::functions {
namespace detail {

Counts::Counts(const BinaryScores& s) {
  std::vector<std::size_t> order(s.scores.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return s.scores[a] > s.scores[b]; });
  double right = 0, wrong = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    (s.labels[order[i]] ? right : wrong) += 1;
    if (i + 1 < order.size() && s.scores[order[i + 1]] == s.scores[order[i]]) continue;
    thresholds.push_back(s.scores[order[i]]);
    true_positives.push_back(right);
    false_positives.push_back(wrong);
  }
}

}  // namespace detail
namespace {

double area(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 1; i < x.size(); ++i) sum += (x[i] - x[i - 1]) * (y[i] + y[i - 1]) / 2;
  return sum;
}
double area_of(const detail::BinaryScores& s) {
  detail::Counts c(s);
  c.false_positives.insert(c.false_positives.begin(), 0);
  c.true_positives.insert(c.true_positives.begin(), 0);
  return area(c.false_positives, c.true_positives) / static_cast<double>(s.positives) /
         static_cast<double>(static_cast<int64_t>(s.labels.size()) - s.positives);
}

}  // namespace

Variable AreaUnderCurve::operator()(const Variable& x, const Variable& y) const {
  type_check::check("area_under_curve", {x.array(), y.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x", "y"});
    type_check::expect(in[0].ndim() == 1, in[0].shape() == in[1].shape());
  });
  std::vector<double> at = x.array().to_vector<double>(), height = y.array().to_vector<double>();
  if (at.size() < 2) throw ValueError("area_under_curve: at least two points are needed, got ", at.size());
  const bool falls = at.front() > at.back();
  for (std::size_t i = 1; i < at.size(); ++i)
    if (falls ? !(at[i] <= at[i - 1]) : !(at[i] >= at[i - 1]))
      throw ValueError("area_under_curve: x must be monotonic; got ", at[i - 1], " and ", at[i], " at positions ",
                       i - 1, " and ", i);
  return detail::result(falls ? -area(at, height) : area(at, height), y);
}

RocCurve::Result RocCurve::operator()(const Variable& y, const Variable& t, bool drop_intermediate) const {
  const detail::BinaryScores s("roc_curve", y, t, true);
  const detail::Counts c(s);
  std::vector<double> fpr{0}, tpr{0}, thresholds{std::numeric_limits<double>::infinity()};
  const auto negatives = static_cast<double>(static_cast<int64_t>(s.labels.size()) - s.positives);
  const auto bends = [](const std::vector<double>& v, std::size_t i) { return v[i + 1] - v[i] != v[i] - v[i - 1]; };
  for (std::size_t i = 0; i < c.thresholds.size(); ++i) {
    const bool inside = i > 0 && i + 1 < c.thresholds.size();
    if (drop_intermediate && inside && !bends(c.false_positives, i) && !bends(c.true_positives, i)) continue;
    fpr.push_back(c.false_positives[i] / negatives);
    tpr.push_back(c.true_positives[i] / static_cast<double>(s.positives));
    thresholds.push_back(c.thresholds[i]);
  }
  return {detail::result(fpr, y), detail::result(tpr, y), detail::result(thresholds, y)};
}

Variable RocAuc::operator()(const Variable& y, const Variable& t) const {
  if (y.array().ndim() != 2) return detail::result(area_of(detail::BinaryScores("roc_auc", y, t, true)), y);
  const detail::ClassScores all("roc_auc", y, t);
  double sum = 0;
  for (int64_t label = 0; label < all.classes; ++label) sum += area_of(detail::BinaryScores("roc_auc", all, label));
  return detail::result(sum / static_cast<double>(all.classes), y);
}

}  // namespace chainer::functions
