// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/array/backend.h"
#include "chainer/array/operations/indices.h"
#include "chainer/array/positions.h"
#include "chainer/autograd/function_node.h"
#include "chainer/functions/evaluation.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"

namespace chainer::functions {
namespace {

// For each label the number of examples with it, of those predicted as it, and of those that are both.
struct Counts {
  Array support, relevant, both;
};
[[noreturn]] void outside(int64_t label, int64_t position, const IndexCheck& c) {
  throw IndexError("classification_summary: label ", label, " at position ", position, " is not in 0 ... ", c.size - 1);
}

Counts counts_here(const Array& truth, const Array& predicted, int64_t labels, int64_t ignored) {
  const auto make = [&] { return zeros({labels}, int64); };
  Counts out{make(), make(), make()};
  const std::vector<int64_t> t = truth.to_vector<int64_t>(), p = predicted.to_vector<int64_t>();
  int64_t* const of[] = {out.support.mutable_data<int64_t>(), out.relevant.mutable_data<int64_t>(),
                         out.both.mutable_data<int64_t>()};
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (t[i] == ignored) continue;
    if (t[i] < 0 || t[i] >= labels) outside(t[i], static_cast<int64_t>(i), {.size = labels});
    ++of[0][t[i]];
    if (p[i] >= labels) continue;
    ++of[1][p[i]];
    of[2][t[i]] += t[i] == p[i];
  }
  return out;
}

// Compares all examples with some labels at a time.
Counts counts_there(const Array& truth, const Array& predicted, int64_t labels, int64_t ignored) {
  const int64_t n = truth.size(), some = std::max<int64_t>(1, (int64_t(1) << 26) / std::max<int64_t>(n, 1));
  const Array t = truth.reshape({1, n}), counts = not_equal(t, ignored);
  Array checked(Shape{n}, int64, truth.device());
  truth.device().backend().check_indices({.size = labels, .ignored = ignored, .fail = outside}, truth, checked);
  const Array all = positions_below(labels, truth.device());
  const auto of = [&](const Array& mask) { return chainer::sum(mask, Dims{1}, false, int64); };
  Arrays support, relevant, both;
  for (int64_t first = 0; first < labels; first += some) {
    const Array label = all[{Slice(first, std::min(first + some, labels))}].reshape({-1, 1});
    const Array is_true = logical_and(equal(t, label), counts);
    const Array is_predicted = logical_and(equal(predicted.reshape({1, n}), label), counts);
    support.push_back(of(is_true)), relevant.push_back(of(is_predicted));
    both.push_back(of(logical_and(is_true, is_predicted)));
  }
  if (labels == 0) return {all, all, all};
  return {concatenate(support), concatenate(relevant), concatenate(both)};
}

}  // namespace

ClassificationSummary::Result ClassificationSummary::operator()(const Variable& y, const Variable& t,
                                                                const ClassificationSummaryOptions& o) const {
  type_check::check("ClassificationSummary", {y.array(), t.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x", "t"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f', in[1].dtype().kind() == 'i', in[0].ndim() >= 2, in[0].ndim() >= in[1].ndim());
    expect(in[0].shape(0) == in[1].shape(0));
  });
  const Array labels_of = t.array().to_device(y.device()), predictions = chainer::argmax(y.array(), 1);
  if (labels_of.size() != predictions.size())
    throw DimensionError("classification_summary: ", labels_of.size(), " labels for ", predictions.size(),
                         " predictions");
  int64_t labels = o.label_num.value_or(0);
  if (!o.label_num && labels_of.size()) labels = std::max<int64_t>(0, chainer::max(labels_of).item<int64_t>() + 1);
  if (labels < 0) throw ValueError("classification_summary: label_num must not be negative: ", labels);
  const Counts c = (y.device().is_host() ? counts_here : counts_there)(labels_of, predictions, labels, o.ignore_label);
  const Array both = c.both.astype(float64), relevant = c.relevant.astype(float64), support = c.support.astype(float64);
  // 0 / 0 is NaN: without predictions of a label its precision is undefined.
  const Array p = both / relevant, r = both / support;
  const double b2 = o.beta * o.beta;
  return {p, r, (1 + b2) * p * r / (b2 * p + r), c.support};
}

Variables Precision::operator()(const Variable& y, const Variable& t, const ClassificationSummaryOptions& o) const {
  const auto s = classification_summary(y, t, o);
  return {s.precision, s.support};
}
Variables Recall::operator()(const Variable& y, const Variable& t, const ClassificationSummaryOptions& o) const {
  const auto s = classification_summary(y, t, o);
  return {s.recall, s.support};
}
Variables F1Score::operator()(const Variable& y, const Variable& t, const ClassificationSummaryOptions& o) const {
  ClassificationSummaryOptions f1 = o;
  f1.beta = 1;
  const auto s = classification_summary(y, t, f1);
  return {s.fbeta, s.support};
}

}  // namespace chainer::functions
