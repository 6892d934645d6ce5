// SPDX-License-Identifier: MIT
#include "chainer/inference/prepare.h"

#include <algorithm>

#include "chainer/autograd/mixed_precision.h"

namespace chainer::inference {
namespace {

Arrays arrays_of(const Variables& v) {
  Arrays out;
  for (const Variable& x : v) out.push_back(x.array());
  return out;
}

}  // namespace

Prepared::Prepared(onnx::Model model)
    : model_(std::make_shared<onnx::Model>(std::move(model))), winograd_(config().winograd) {}

Arrays Prepared::operator()(const Arrays& inputs) const {
  const UsingConfig test(&Config::train, false);
  const PlainPrecision plain;
  const NoBackpropMode no_graph;
  const UsingConfig as_prepared(&Config::winograd, winograd_);
  if (lengths_stay_) check_lengths(inputs);
  Variables x;
  for (const Array& a : inputs) x.push_back(Variable(a, false));
  return arrays_of(model_->forward(x));
}

// The model itself checks the number of inputs, their dtypes and numbers of axes.
void Prepared::check_lengths(const Arrays& inputs) const {
  const auto& declared = model_->inputs();
  for (std::size_t i = 0; i < std::min(inputs.size(), declared.size()); ++i) {
    const auto& lengths = declared[i].shape;
    if (!inputs[i] || !lengths || static_cast<int>(lengths->size()) != inputs[i].ndim()) continue;
    bool fits = true;
    for (std::size_t d = 0; d < lengths->size(); ++d)
      fits = fits && ((*lengths)[d] < 0 || (*lengths)[d] == inputs[i].shape()[static_cast<int>(d)]);
    if (fits) continue;
    std::string expected;
    for (const int64_t n : *lengths) expected += text(expected.empty() ? "" : ", ", n < 0 ? "any" : std::to_string(n));
    throw TypeError("inference::prepare: input '", declared[i].name, "' has lengths that the network was not prepared ",
                    "for\nExpect: (", expected, ")\nActual: ", inputs[i].shape());
  }
}

void Prepared::warm_up(const Arrays& inputs) const {
  for (int call = 0; call < 3; ++call)  // the first call runs, the second records, the third plans memory
    for (const Array& a : (*this)(inputs)) (void)a.raw();
}

Prepared prepare(Link& link, const Variables& example_inputs, const PrepareOptions& options) {
  Prepared out(onnx::Model::from_bytes(
      onnx::export_model(
          link, example_inputs,
          {.dynamic_batch = options.dynamic_batch, .dynamic_axes = options.dynamic_axes, .refuse_reads = true}),
      {}, link.class_name()));
  out.lengths_stay_ = dynamic_cast<const onnx::Model*>(&link) == nullptr;  // a file's lengths are often too strict
  out.warm_up(arrays_of(example_inputs));
  return out;
}

Prepared prepare(onnx::Model&& model, const Variables& example_inputs) {
  const Prepared out(std::move(model));
  if (!example_inputs.empty()) out.warm_up(arrays_of(example_inputs));
  return out;
}

}  // namespace chainer::inference
