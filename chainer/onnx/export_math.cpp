// SPDX-License-Identifier: MIT
// Exporters of arithmetic, elementwise functions, reductions and products.
#include <cmath>

#include "chainer/onnx/emitter.h"
#include "chainer/routines/creation.h"

namespace chainer::onnx {
namespace {

#define CHAINER_SAME(LABEL, OP)                               \
  {                                                           \
    LABEL, [](const Emission& m) { m.finish(OP, {m.in(0)}); } \
  }
#define CHAINER_TWO(LABEL, OP)                                         \
  {                                                                    \
    LABEL, [](const Emission& m) { m.finish(OP, {m.in(0), m.in(1)}); } \
  }

std::string constant_of(const Emission& m) {
  return m.number([](const Emission& r) { return r.get<double>("value"); }, m.dtype());
}

// Labels such as "_ + 3" and "2 / _" are looked up as "_ + c" and "c / _".
void from_right(const Emission& m, std::string_view op) { m.finish(op, {m.in(0), constant_of(m)}); }
void from_left(const Emission& m, std::string_view op) { m.finish(op, {constant_of(m), m.in(0)}); }

void many_added(const Emission& m) {
  std::vector<std::string> in;
  for (std::size_t i = 0; i < m.call.inputs.size(); ++i) in.push_back(m.in(i));
  m.finish(in.size() == 2 ? "Add" : "Sum", in);
}

void reduced(const Emission& m, std::string_view op, int64_t axes_are_input_from) {
  const Axes& axes = m.get<Axes>("axes");
  const Dims list = axes.normalized(m.shape(0).ndim(), op);
  const int keep = m.call.attributes.contains("keepdims") && m.get<bool>("keepdims");
  if (m.shape(0).ndim() == 0 || (axes.given() && list.empty())) return m.finish("Identity", {m.in(0)});
  if (m.e.opset() >= axes_are_input_from)
    m.finish(op, {m.in(0), m.e.integers(list)}, {attribute("keepdims", keep)});
  else
    m.finish(op, {m.in(0)}, {attribute("axes", list), attribute("keepdims", keep)});
}

void matmul(const Emission& m) {
  const auto turned = [&](std::size_t i, const char* flag) {
    const int n = m.shape(i).ndim();
    if (n < 2 || !m.get<bool>(flag)) return m.in(i);
    Dims order;
    for (int d = 0; d < n; ++d) order.push_back(d < n - 2 ? d : d == n - 2 ? n - 1 : n - 2);
    return m.e.node("Transpose", {m.in(i)}, {attribute("perm", order)});
  };
  m.finish("MatMul", {turned(0, "transa"), turned(1, "transb")});
}

void rsqrt(const Emission& m) { m.finish("Reciprocal", {m.e.node("Sqrt", {m.in(0)})}); }
void square(const Emission& m) { m.finish("Mul", {m.in(0), m.in(0)}); }
void expm1(const Emission& m) { m.finish("Sub", {m.e.node("Exp", {m.in(0)}), m.e.number(1, m.dtype())}); }
void log1p(const Emission& m) { m.finish("Log", {m.e.node("Add", {m.in(0), m.e.number(1, m.dtype())})}); }
void log_to(const Emission& m, double base) {
  m.finish("Div", {m.e.node("Log", {m.in(0)}), m.e.number(std::log(base), m.dtype())});
}
void erfc(const Emission& m) { m.finish("Sub", {m.e.number(1, m.dtype()), m.e.node("Erf", {m.in(0)})}); }
void clip(const Emission& m) {
  m.finish("Clip", {m.in(0), m.e.number(m.get<double>("lo"), m.dtype()), m.e.number(m.get<double>("hi"), m.dtype())});
}
void cumsum(const Emission& m) { m.finish("CumSum", {m.in(0), m.e.integers({m.get<int64_t>("axis")})}); }
void fmod(const Emission& m) { m.finish("Mod", {m.in(0), m.in(1)}, {attribute("fmod", 1)}); }

// Real and imaginary parts are two arrays here, and the last axis of one array in the operator.
void fourier(const Emission& m, bool inverse) {
  if (m.e.opset() < 17) m.fail("needs operator set 17");
  const int ndim = m.shape(0).ndim();
  const bool row = ndim == 1;  // the operator expects an axis of examples
  const std::string axes = row ? m.e.integers({0, 2}) : m.e.integers({ndim});
  const auto part = [&](std::size_t i) { return m.e.node("Unsqueeze", {m.in(i), axes}); };
  const int axis = row ? 1 : ndim - 1;
  const std::string x = m.e.node("Concat", {part(0), part(1)}, {attribute("axis", axis + 1)});
  const bool input = m.e.opset() >= 20;
  std::vector<std::string> in = {x};
  if (input) in = {x, "", m.e.constant(array(int64_t(axis)))};
  std::vector<Attribute> attributes = {attribute("inverse", int64_t(inverse))};
  if (!input) attributes.push_back(attribute("axis", axis));
  const std::string y = m.e.node("DFT", in, attributes);
  for (std::size_t i = 0; i < 2; ++i) {
    if (m.out(i).empty()) continue;
    const std::string at = m.e.constant(array(static_cast<int64_t>(i)));
    if (row)
      m.e.node("Squeeze", {m.e.node("Gather", {y, at}, {attribute("axis", axis + 1)}), m.e.integers({0})}, {},
               m.out(i));
    else
      m.e.node("Gather", {y, at}, {attribute("axis", axis + 1)}, m.out(i));
  }
}

void ndtr(const Emission& m) {
  const std::string scaled = m.e.node("Mul", {m.in(0), m.e.number(std::sqrt(0.5), m.dtype())});
  m.finish("Mul", {m.e.node("Add", {m.e.node("Erf", {scaled}), m.e.number(1, m.dtype())}), m.e.number(0.5, m.dtype())});
}

// Integers need no rounding.
void rounded(const Emission& m, std::string_view op) {
  m.finish(is_floating(m.dtype()) ? op : std::string_view("Identity"), {m.in(0)});
}
void truncated(const Emission& m) {
  if (!is_floating(m.dtype())) return m.finish("Identity", {m.in(0)});
  m.finish("Mul", {m.e.node("Floor", {m.e.node("Abs", {m.in(0)})}), m.e.node("Sign", {m.in(0)})});
}
void place_of(const Emission& m, std::string_view op) {
  const auto axis = m.get<std::optional<int64_t>>("axis");
  const std::string x = axis ? m.in(0) : m.e.node("Reshape", {m.in(0), m.e.integers({-1})});
  const std::string y = m.e.node(op, {x}, {attribute("axis", axis.value_or(0)), attribute("keepdims", 0)});
  m.finish("Cast", {y}, {attribute("to", element_type(m.call.outputs[0].dtype))});
}

constexpr Exporter kExporters[] = {
    {"Floor", [](const Emission& m) { rounded(m, "Floor"); }},
    {"Ceil", [](const Emission& m) { rounded(m, "Ceil"); }},
    {"Fix", truncated},
    CHAINER_SAME("Sign", "Sign"),
    {"Argmax", [](const Emission& m) { place_of(m, "ArgMax"); }},
    {"Argmin", [](const Emission& m) { place_of(m, "ArgMin"); }},
    {"_ + _", many_added},
    CHAINER_TWO("_ - _", "Sub"),
    CHAINER_TWO("_ * _", "Mul"),
    CHAINER_TWO("_ / _", "Div"),
    CHAINER_TWO("_ ** _", "Pow"),
    {"_ + c", [](const Emission& m) { from_right(m, "Add"); }},
    {"_ * c", [](const Emission& m) { from_right(m, "Mul"); }},
    {"_ / c", [](const Emission& m) { from_right(m, "Div"); }},
    {"_ ** c", [](const Emission& m) { from_right(m, "Pow"); }},
    {"c - _", [](const Emission& m) { from_left(m, "Sub"); }},
    {"c / _", [](const Emission& m) { from_left(m, "Div"); }},
    {"c ** _", [](const Emission& m) { from_left(m, "Pow"); }},
    CHAINER_SAME("__neg__", "Neg"),
    CHAINER_SAME("|_|", "Abs"),
    CHAINER_SAME("arccos", "Acos"),
    CHAINER_SAME("arcsin", "Asin"),
    CHAINER_SAME("arctan", "Atan"),
    CHAINER_SAME("cos", "Cos"),
    CHAINER_SAME("cosh", "Cosh"),
    CHAINER_SAME("erf", "Erf"),
    {"erfc", erfc},
    CHAINER_SAME("exp", "Exp"),
    {"expm1", expm1},
    CHAINER_SAME("log", "Log"),
    {"log10", [](const Emission& m) { log_to(m, 10); }},
    {"log1p", log1p},
    {"log2", [](const Emission& m) { log_to(m, 2); }},
    {"ndtr", ndtr},
    {"rsqrt", rsqrt},
    CHAINER_SAME("sin", "Sin"),
    CHAINER_SAME("sinh", "Sinh"),
    CHAINER_SAME("sqrt", "Sqrt"),
    {"square", square},
    CHAINER_SAME("tan", "Tan"),
    {"Identity",
     [](const Emission& m) {
       for (std::size_t i = 0; i < m.call.outputs.size(); ++i)
         if (const std::string y = m.out(i); !y.empty()) m.e.node("Identity", {m.in(i)}, {}, y);
     }},
    CHAINER_SAME("Copy", "Identity"),
    CHAINER_SAME("BatchDet", "Det"),
    {"Clip", clip},
    {"Cumsum", cumsum},
    {"MatMul", matmul},
    {"fft", [](const Emission& m) { fourier(m, false); }},
    {"fmod", fmod},
    {"ifft", [](const Emission& m) { fourier(m, true); }},
    CHAINER_TWO("Maximum", "Max"),
    CHAINER_TWO("Minimum", "Min"),
    {"Max", [](const Emission& m) { reduced(m, "ReduceMax", 18); }},
    {"Mean", [](const Emission& m) { reduced(m, "ReduceMean", 18); }},
    {"Min", [](const Emission& m) { reduced(m, "ReduceMin", 18); }},
    {"Prod", [](const Emission& m) { reduced(m, "ReduceProd", 18); }},
    {"Sum", [](const Emission& m) { reduced(m, "ReduceSum", 13); }},
    {"LogSumExp", [](const Emission& m) { reduced(m, "ReduceLogSumExp", 18); }},
};

}  // namespace

std::span<const Exporter> math_exporters() { return kExporters; }

}  // namespace chainer::onnx
