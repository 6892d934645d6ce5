#include "chainer/inference/prepare.h"

namespace chainer::inference {
namespace {

Arrays arrays_of(const Variables& v) {
  Arrays out;
  for (const Variable& x : v) out.push_back(x.array());
  return out;
}

}  // namespace

Prepared::Prepared(onnx::Model model) : model_(std::make_shared<onnx::Model>(std::move(model))) {}

Arrays Prepared::operator()(const Arrays& inputs) const {
  const UsingConfig test(&Config::train, false);
  const NoBackpropMode no_graph;
  Variables x;
  for (const Array& a : inputs) x.push_back(Variable(a, false));
  return arrays_of(model_->forward(x));
}

void Prepared::warm_up(const Arrays& inputs) const {
  for (int call = 0; call < 3; ++call)  // runs, records, plans memory
    for (const Array& a : (*this)(inputs)) (void)a.raw();
}

Prepared prepare(Link& link, const Variables& example_inputs, const PrepareOptions& options) {
  const Prepared out(onnx::Model::from_bytes(
      onnx::export_model(link, example_inputs, {.dynamic_batch = options.dynamic_batch}), {}, link.class_name()));
  out.warm_up(arrays_of(example_inputs));
  return out;
}

Prepared prepare(onnx::Model&& model, const Variables& example_inputs) {
  const Prepared out(std::move(model));
  if (!example_inputs.empty()) out.warm_up(arrays_of(example_inputs));
  return out;
}

}  // namespace chainer::inference
