// SPDX-License-Identifier: MIT
// Exporters of losses.
#include "chainer/functions/loss.h"
#include "chainer/onnx/emitter.h"
#include "chainer/routines/creation.h"

namespace chainer::onnx {
namespace {

std::string all_of(const Emission& m, std::string_view mean_or_sum, const std::string& x, const std::string& output) {
  return m.e.node(mean_or_sum, {x}, {attribute("keepdims", 0)}, output);
}

// Emits the number of examples, for a mean over them.
std::string examples(const Emission& m) {
  return m.number([](const Emission& r) { return static_cast<double>(std::max<int64_t>(1, r.shape(0)[0])); },
                  m.dtype());
}

void mean_squared_error(const Emission& m) {
  const std::string d = m.e.node("Sub", {m.in(0), m.in(1)});
  all_of(m, "ReduceMean", m.e.node("Mul", {d, d}), m.out());
}

void softmax_cross_entropy(const Emission& m) {
  const auto& o = m.get<functions::SoftmaxCrossEntropyOptions>("options");
  if (o.reduce == Reduction::mean && o.normalize && o.class_weight)
    m.fail("a mean with class weights over the number of labels");
  if (o.label_smoothing > 0) m.fail("label smoothing");
  std::vector<std::string> in = {m.in(0), m.in(1)};
  if (o.class_weight) in.push_back(m.e.constant(o.class_weight));
  const bool mean = o.reduce == Reduction::mean;
  const std::vector<Attribute> attributes = {
      attribute("ignore_index", o.ignore_label),
      attribute("reduction", std::string(o.reduce == Reduction::no ? "none" : "sum"))};
  if (!mean) return m.finish("SoftmaxCrossEntropyLoss", in, attributes);
  // Without any label, ONNX's mean is NaN, the library's is zero.
  std::string number;
  if (o.normalize) {
    const std::string none = m.e.constant(full({}, o.ignore_label, m.call.inputs[1].dtype));
    const std::string counted = m.e.node("Cast", {m.e.node("Not", {m.e.node("Equal", {in[1], none})})},
                                         {attribute("to", element_type(m.dtype()))});
    number = m.e.node("Max", {all_of(m, "ReduceSum", counted, ""), m.e.number(1, m.dtype())});
  } else {
    number = examples(m);
  }
  m.finish("Div", {m.e.node("SoftmaxCrossEntropyLoss", in, attributes), number});
}

// Emits softplus(x) - x t where the label is not -1.
void sigmoid_cross_entropy(const Emission& m) {
  const auto& o = m.get<functions::SigmoidCrossEntropyOptions>("options");
  const int type = element_type(m.dtype());
  const std::string t = m.e.node("Cast", {m.in(1)}, {attribute("to", type)});
  const std::string none = m.e.constant(full({}, -1, m.call.inputs[1].dtype));
  const std::string counted =
      m.e.node("Cast", {m.e.node("Not", {m.e.node("Equal", {m.in(1), none})})}, {attribute("to", type)});
  const std::string each = m.e.node("Sub", {m.e.node("Softplus", {m.in(0)}), m.e.node("Mul", {m.in(0), t})});
  if (o.reduce == Reduction::no) return m.finish("Mul", {each, counted});
  const std::string losses = m.e.node("Mul", {each, counted});
  if (o.reduce == Reduction::sum) {
    all_of(m, "ReduceSum", losses, m.out());
    return;
  }
  const std::string number =
      o.normalize ? m.e.node("Max", {all_of(m, "ReduceSum", counted, ""), m.e.number(1, m.dtype())}) : examples(m);
  m.finish("Div", {all_of(m, "ReduceSum", losses, ""), number});
}

constexpr Exporter kExporters[] = {
    {"MeanSquaredError", mean_squared_error},
    {"SoftmaxCrossEntropy", softmax_cross_entropy},
    {"SigmoidCrossEntropy", sigmoid_cross_entropy},
};

}  // namespace

std::span<const Exporter> loss_exporters() { return kExporters; }

}  // namespace chainer::onnx
