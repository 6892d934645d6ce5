// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/autograd/function_node.h"
#include "chainer/functions/evaluation.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/reduction.h"

namespace chainer::functions {

ClassificationSummary::Result ClassificationSummary::operator()(const Variable& y, const Variable& t,
                                                                const ClassificationSummaryOptions& o) const {
  type_check::check("ClassificationSummary", {y.array(), t.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x", "t"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f', in[1].dtype().kind() == 'i', in[0].ndim() >= 2, in[0].ndim() >= in[1].ndim());
    expect(in[0].shape(0) == in[1].shape(0));
  });
  const std::vector<int64_t> truth = t.array().to_vector<int64_t>();
  const std::vector<int64_t> predicted = chainer::argmax(y.array(), 1).to_vector<int64_t>();
  if (truth.size() != predicted.size())
    throw DimensionError("classification_summary: ", truth.size(), " labels for ", predicted.size(), " predictions");
  int64_t labels = o.label_num.value_or(0);
  if (!o.label_num)
    for (int64_t v : truth) labels = std::max(labels, v + 1);
  if (labels < 0) throw ValueError("classification_summary: label_num must not be negative: ", labels);
  const auto n = static_cast<std::size_t>(labels);
  std::vector<int64_t> support(n), relevant(n), both(n);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] == o.ignore_label) continue;
    if (truth[i] < 0 || truth[i] >= labels)
      throw IndexError("classification_summary: label ", truth[i], " at position ", i, " is not in 0 ... ", labels - 1);
    ++support[static_cast<std::size_t>(truth[i])];
    if (predicted[i] >= labels) continue;
    ++relevant[static_cast<std::size_t>(predicted[i])];
    both[static_cast<std::size_t>(truth[i])] += truth[i] == predicted[i];
  }
  std::vector<double> p, r, f;
  const double b2 = o.beta * o.beta;
  for (std::size_t i = 0; i < n; ++i) {  // 0 / 0 is NaN: without predictions of a label its precision is undefined
    p.push_back(static_cast<double>(both[i]) / static_cast<double>(relevant[i]));
    r.push_back(static_cast<double>(both[i]) / static_cast<double>(support[i]));
    f.push_back((1 + b2) * p[i] * r[i] / (b2 * p[i] + r[i]));
  }
  const auto values = [&](const auto& v) -> Variable { return array(v, Shape{labels}).to_device(y.device()); };
  return {values(p), values(r), values(f), values(support)};
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
