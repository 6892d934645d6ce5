// SPDX-License-Identifier: MIT
// Checked scores and labels on the host, shared by the metrics.
#pragma once
#include <cmath>
#include <vector>

#include "chainer/autograd/type_check.h"
#include "chainer/autograd/variable.h"
#include "chainer/core/error.h"
#include "chainer/routines/creation.h"

namespace chainer::functions::detail {

/// Scores y (N, C, d1, ...) and labels t (N, d1, ...): score(i, c) is the score of class c for element i of t.
struct ClassScores {
  ClassScores(const char* function, const Variable& y, const Variable& t)
      : labels(t.array().to_vector<int64_t>()), y_(y.array().to_vector<double>()), function_(function) {
    type_check::check(function, {y.array(), t.array()}, [](const type_check::TypeInfos& in) {
      in.names({"x", "t"});
      using type_check::expect;
      expect(in[0].dtype().kind() == 'f', in[1].dtype().kind() == 'i', in[0].ndim() >= 2,
             in[0].ndim() == in[1].ndim() + 1);
      expect(in[0].shape(0) == in[1].shape(0));
    });
    classes = y.array().shape()[1];
    for (std::size_t axis = 2; axis < y.array().shape().size(); ++axis) inner_ *= y.array().shape()[axis];
    if (classes < 1 || static_cast<int64_t>(y_.size()) != classes * size())
      throw DimensionError(function, ": scores of shape ", y.array().shape(), " for labels of shape ",
                           t.array().shape());
  }
  int64_t size() const { return static_cast<int64_t>(labels.size()); }
  double score(int64_t i, int64_t c) const {
    return y_[static_cast<std::size_t>((i / inner_ * classes + c) * inner_ + i % inner_)];
  }
  /// Returns the label of an element. Throws IndexError if it is not in 0 ... C - 1.
  int64_t label(int64_t i) const {
    const int64_t v = labels[static_cast<std::size_t>(i)];
    if (v < 0 || v >= classes)
      throw IndexError(function_, ": label ", v, " at position ", i, " is not in 0 ... ", classes - 1);
    return v;
  }
  int64_t classes = 0;
  std::vector<int64_t> labels;

 private:
  std::vector<double> y_;
  int64_t inner_ = 1;
  const char* function_;
};

/// Scores (N) and labels (N) in {0, 1}. Throws ValueError for other labels, a score of NaN and, with `both`, unless
/// both labels occur.
struct BinaryScores {
  BinaryScores(const char* function, const Variable& y, const Variable& t, bool both)
      : scores(y.array().to_vector<double>()) {
    type_check::check(function, {y.array(), t.array()}, [](const type_check::TypeInfos& in) {
      in.names({"x", "t"});
      using type_check::expect;
      expect(in[0].dtype().kind() == 'f', in[1].dtype().kind() == 'i', in[0].ndim() == 1);
      expect(in[0].shape() == in[1].shape());
    });
    const std::vector<int64_t> t_ = t.array().to_vector<int64_t>();
    for (std::size_t i = 0; i < t_.size(); ++i) {
      if (t_[i] != 0 && t_[i] != 1) throw ValueError(function, ": label ", t_[i], " at position ", i, " is not 0 or 1");
      if (std::isnan(scores[i])) throw ValueError(function, ": the score at position ", i, " is NaN");
      labels.push_back(t_[i] == 1);
      positives += t_[i];
    }
    if (both) require_both(function);
  }
  /// One label against all others.
  BinaryScores(const char* function, const ClassScores& all, int64_t label) {
    for (int64_t i = 0; i < all.size(); ++i) {
      scores.push_back(all.score(i, label));
      if (std::isnan(scores.back())) throw ValueError(function, ": the score of label ", label, " at ", i, " is NaN");
      labels.push_back(all.label(i) == label);
      positives += labels.back();
    }
    if (labels.empty() || positives == 0 || positives == static_cast<int64_t>(labels.size()))
      throw ValueError(function, ": the label ", label, " has ", positives, " of ", labels.size(),
                       " elements; at least one must have it, and at least one must not");
  }
  void require_both(const char* function) const {
    if (positives == 0 || positives == static_cast<int64_t>(labels.size()))
      throw ValueError(function, ": ", positives, " of ", labels.size(),
                       " labels are 1; both labels, 0 and 1, must occur");
  }
  std::vector<double> scores;
  std::vector<char> labels;
  int64_t positives = 0;
};

/// Numbers of true and false positives among the elements with a score of at least each threshold. The thresholds are
/// the distinct scores, falling.
struct Counts {
  explicit Counts(const BinaryScores& s);
  std::vector<double> thresholds, false_positives, true_positives;
};

/// Returns values as a float64 or int64 variable on the device of an input.
template <class T>
Variable result(const std::vector<T>& values, const Variable& like) {
  return array(values, Shape{static_cast<int64_t>(values.size())}).to_device(like.array().device());
}
inline Variable result(double value, const Variable& like) { return array(value).to_device(like.array().device()); }

}  // namespace chainer::functions::detail
