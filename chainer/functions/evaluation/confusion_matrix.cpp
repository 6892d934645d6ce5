// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/functions/evaluation/metrics.h"
#include "chainer/functions/evaluation/scores.h"
#include "chainer/routines/reduction.h"

namespace chainer::functions {
namespace {

std::vector<double> shares(const std::vector<int64_t>& counts, std::size_t n, ConfusionShare share) {
  std::vector<double> sums(share == ConfusionShare::all ? 1 : n), out;
  const auto group = [&](std::size_t i) {
    return share == ConfusionShare::all ? 0 : share == ConfusionShare::truth ? i / n : i % n;
  };
  for (std::size_t i = 0; i < counts.size(); ++i) sums[group(i)] += static_cast<double>(counts[i]);
  for (std::size_t i = 0; i < counts.size(); ++i)
    out.push_back(sums[group(i)] > 0 ? static_cast<double>(counts[i]) / sums[group(i)] : 0);
  return out;
}

}  // namespace

Variable ConfusionMatrix::operator()(const Variable& y, const Variable& t, const ConfusionMatrixOptions& o) const {
  const bool scores = is_floating(y.array().dtype());
  type_check::check("confusion_matrix", {y.array(), t.array()}, [&](const type_check::TypeInfos& in) {
    in.names({"x", "t"});
    using type_check::expect;
    expect(in[1].dtype().kind() == 'i');
    if (scores)
      expect(in[0].ndim() == in[1].ndim() + 1, in[0].ndim() >= 2);
    else
      expect(in[0].dtype().kind() == 'i', in[0].shape() == in[1].shape());
  });
  const std::vector<int64_t> truth = t.array().to_vector<int64_t>();
  const std::vector<int64_t> predicted = (scores ? chainer::argmax(y.array(), 1) : y.array()).to_vector<int64_t>();
  if (truth.size() != predicted.size())
    throw DimensionError("confusion_matrix: predictions of shape ", y.array().shape(), " for labels of shape ",
                         t.array().shape());
  int64_t labels = o.label_num.value_or(scores ? y.array().shape()[1] : 0);
  if (!o.label_num && !scores)
    for (std::size_t i = 0; i < truth.size(); ++i)
      if (truth[i] != o.ignore_label) labels = std::max({labels, truth[i] + 1, predicted[i] + 1});
  if (labels < 0) throw ValueError("confusion_matrix: label_num must not be negative: ", labels);
  const auto n = static_cast<std::size_t>(labels);
  std::vector<int64_t> counts(n * n);
  const auto index = [&](const char* what, int64_t label, std::size_t at) {
    if (label < 0 || label >= labels)
      throw IndexError("confusion_matrix: ", what, " ", label, " at position ", at, " is not in 0 ... ", labels - 1);
    return static_cast<std::size_t>(label);
  };
  for (std::size_t i = 0; i < truth.size(); ++i)
    if (truth[i] != o.ignore_label) ++counts[index("label", truth[i], i) * n + index("prediction", predicted[i], i)];
  const Array out = o.share == ConfusionShare::count ? array(counts, Shape{labels, labels})
                                                     : array(shares(counts, n, o.share), Shape{labels, labels});
  return out.to_device(y.array().device());
}

}  // namespace chainer::functions
