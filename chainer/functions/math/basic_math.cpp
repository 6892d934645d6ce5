// SPDX-License-Identifier: MIT
// Arithmetic: + - * / ** on variables, numbers and constant arrays.
#include <cmath>

#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer {
namespace {

using functions::sum_to;

// A number as drawn graphs show it: negative numbers are in parentheses.
std::string constant_text(Scalar v) {
  const std::string s = to_string(v);
  return s[0] == '-' ? "(" + s + ")" : s;
}

// Casts the constant to the variable's dtype: a number never widens a variable.
Scalar cast_to(Scalar v, Dtype d) { return is_floating(d) ? Scalar(v.to_double()) : Scalar(v.to_int()); }

// Base of nodes whose forward() runs no user code that could drop the variables of the call.
struct MathNode : FunctionNode {
  bool keeps_inputs() const override { return false; }
};

struct BinaryNode : MathNode {
  void check_type_forward(const type_check::TypeInfos& in) const override {
    type_check::expect_argument_count(in, 2);
    const Array &a = in[0].array(), &b = in[1].array();
    if (a.dtype() == b.dtype() && a.shape() == b.shape()) return;
    type_check::expect(in[0].dtype() == in[1].dtype());
    type_check::expect_broadcast_shapes(in[0], in[1]);
  }
};

struct AddNode : BinaryNode {
  std::string label() const override { return "_ + _"; }
  Arrays forward(const Arrays& x) override { return {x[0] + x[1]}; }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {sum_to(gy[0], input_shape(0)), sum_to(gy[0], input_shape(1))};
  }
};

struct SubNode : BinaryNode {
  std::string label() const override { return "_ - _"; }
  Arrays forward(const Arrays& x) override { return {x[0] - x[1]}; }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    Variables out(2);
    for (int i : wanted)
      out[static_cast<std::size_t>(i)] = i == 0 ? sum_to(gy[0], input_shape(0)) : sum_to(-gy[0], input_shape(1));
    return out;
  }
};

struct MulNode : BinaryNode {
  std::string label() const override { return "_ * _"; }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0, 1});
    return {x[0] * x[1]};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    Variables out(2);
    for (int i : wanted) out[static_cast<std::size_t>(i)] = sum_to(gy[0] * retained_input(1 - i), input_shape(i));
    return out;
  }
};

struct DivNode : BinaryNode {
  std::string label() const override { return "_ / _"; }
  Arrays forward(const Arrays& x) override {
    retain_inputs({1});
    retain_outputs({0});
    return {x[0] / x[1]};
  }
  // The gradient with respect to b from the quotient: 1 / b^2 may overflow where the quotient does not.
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const Variable b = retained_input(0), y = retained_output(0);
    Variables out(2);
    for (int i : wanted)
      out[static_cast<std::size_t>(i)] =
          i == 0 ? sum_to(gy[0] / b, input_shape(0)) : sum_to(-(gy[0] * y / b), input_shape(1));
    return out;
  }
};

struct PowNode : BinaryNode {
  MixedPrecision mixed_precision() const override { return MixedPrecision::wide; }
  std::string label() const override { return "_ ** _"; }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0, 1});
    retain_outputs({0});
    return {power(x[0], x[1])};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    auto [a, b] = retained_inputs<2>();
    Variables out(2);
    for (int i : wanted)
      out[static_cast<std::size_t>(i)] = i == 0
                                             ? sum_to(b * pow(a, b - 1) * gy[0], input_shape(0))
                                             : sum_to(functions::log(a) * retained_output(0) * gy[0], input_shape(1));
    return out;
  }
};

struct NegNode : MathNode {
  std::string label() const override { return "__neg__"; }
  Arrays forward(const Arrays& x) override { return {-x[0]}; }
  Variables backward(const Indexes&, const Variables& gy) override { return {-gy[0]}; }
};

struct AddConstantNode : MathNode, Described {
  explicit AddConstantNode(Scalar v) : value(v) {}
  std::string label() const override { return "_ + " + constant_text(value); }
  void describe(NodeAttributes& a) const override { a("value", value.to_double())("scalar", value); }
  Arrays forward(const Arrays& x) override { return {x[0] + cast_to(value, x[0].dtype())}; }
  Variables backward(const Indexes&, const Variables& gy) override { return gy; }
  Scalar value;
};

struct SubFromConstantNode : MathNode, Described {
  explicit SubFromConstantNode(Scalar v) : value(v) {}
  std::string label() const override { return constant_text(value) + " - _"; }
  void describe(NodeAttributes& a) const override { a("value", value.to_double())("scalar", value); }
  Arrays forward(const Arrays& x) override { return {cast_to(value, x[0].dtype()) - x[0]}; }
  Variables backward(const Indexes&, const Variables& gy) override { return {-gy[0]}; }
  Scalar value;
};

struct MulConstantNode : MathNode, Described {
  explicit MulConstantNode(Scalar v) : value(v) {}
  std::string label() const override { return "_ * " + constant_text(value); }
  void describe(NodeAttributes& a) const override { a("value", value.to_double())("scalar", value); }
  Arrays forward(const Arrays& x) override { return {x[0] * cast_to(value, x[0].dtype())}; }
  Variables backward(const Indexes&, const Variables& gy) override { return {gy[0] * value}; }
  Scalar value;
};

struct DivConstantNode : MathNode, Described {
  explicit DivConstantNode(Scalar v) : value(v) {}
  std::string label() const override { return "_ / " + constant_text(value); }
  void describe(NodeAttributes& a) const override { a("value", value.to_double())("scalar", value); }
  Arrays forward(const Arrays& x) override {
    return {(x[0] / cast_to(value, x[0].dtype())).astype(x[0].dtype(), false)};
  }
  Variables backward(const Indexes&, const Variables& gy) override { return {gy[0] / value}; }
  Scalar value;
};

struct DivFromConstantNode : MathNode, Described {
  explicit DivFromConstantNode(Scalar v) : value(v) {}
  std::string label() const override { return constant_text(value) + " / _"; }
  void describe(NodeAttributes& a) const override { a("value", value.to_double())("scalar", value); }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    return {cast_to(value, x[0].dtype()) / x[0]};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    return {gy[0] * (-value.to_double()) / x / x};  // x^2 may overflow
  }
  Scalar value;
};

struct PowConstantNode : MathNode, Described {
  explicit PowConstantNode(Scalar v) : value(v) {}
  MixedPrecision mixed_precision() const override { return MixedPrecision::wide; }
  std::string label() const override { return "_ ** " + constant_text(value); }
  void describe(NodeAttributes& a) const override { a("value", value.to_double())("scalar", value); }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    return {power(x[0], cast_to(value, x[0].dtype()))};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    const double p = value.to_double();
    const Variable x = retained_input(0);
    if (p == 0) return {x * 0.0 * gy[0]};
    if (p == 1) return gy;
    return {p == 2 ? x * 2.0 * gy[0] : pow(x, p - 1) * p * gy[0]};
  }
  Scalar value;
};

struct PowFromConstantNode : MathNode, Described {
  explicit PowFromConstantNode(Scalar v) : value(v) {}
  MixedPrecision mixed_precision() const override { return MixedPrecision::wide; }
  std::string label() const override { return constant_text(value) + " ** _"; }
  void describe(NodeAttributes& a) const override { a("value", value.to_double())("scalar", value); }
  Arrays forward(const Arrays& x) override {
    retain_outputs({0});
    return {power(cast_to(value, x[0].dtype()), x[0])};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {retained_output(0) * gy[0] * std::log(value.to_double())};
  }
  Scalar value;
};

struct MultiAddNode : MathNode {
  std::string label() const override { return "_ + _"; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    for (std::size_t i = 1; i < in.count(); ++i)
      type_check::expect(in[0].dtype() == in[static_cast<int64_t>(i)].dtype());
  }
  Arrays forward(const Arrays& x) override {
    Array y = x[0] + x[1];
    for (std::size_t i = 2; i < x.size(); ++i) y = y + x[i];
    return {y};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    Variables out;
    for (int i : wanted) out.push_back(sum_to(gy[0], input_shape(i)));
    return out;
  }
};

// A constant array operand, cast to the variable's dtype. It must broadcast to the variable's shape.
Variable constant(const Array& a, const Variable& like) {
  if (broadcast_shapes(a.shape(), like.shape(), "arithmetic with a constant array") != like.shape())
    throw ValueError("a constant array of shape ", a.shape(), " does not broadcast to the variable's shape ",
                     like.shape());
  return Variable(a.astype(like.dtype(), false), false);
}

}  // namespace

Variable functions::Add::operator()(const Variable& a, const Variable& b) const {
  return apply_single(AddNode(), a, b);
}
Variable functions::Add::operator()(const Variables& xs) const {
  if (xs.empty()) throw ValueError("add: at least one variable is needed");
  if (xs.size() == 1) return xs[0];
  if (xs.size() == 2) return add(xs[0], xs[1]);
  return apply(MultiAddNode(), xs)[0];
}

Variable add_gradients(const Variable& a, const Variable& b) { return functions::add(a, b); }

Variable operator-(const Variable& x) { return apply_single(NegNode(), x); }
Variable operator+(const Variable& a, const Variable& b) { return apply_single(AddNode(), a, b); }
Variable operator+(const Variable& a, Scalar b) { return apply_single(AddConstantNode(b), a); }
Variable operator+(Scalar a, const Variable& b) { return apply_single(AddConstantNode(a), b); }
Variable operator-(const Variable& a, const Variable& b) { return apply_single(SubNode(), a, b); }
Variable operator-(const Variable& a, Scalar b) {
  return apply_single(AddConstantNode(b.kind() == 'f' ? Scalar(-b.to_double()) : Scalar(-b.to_int())), a);
}
Variable operator-(Scalar a, const Variable& b) { return apply_single(SubFromConstantNode(a), b); }
Variable operator*(const Variable& a, const Variable& b) { return apply_single(MulNode(), a, b); }
Variable operator*(const Variable& a, Scalar b) { return apply_single(MulConstantNode(b), a); }
Variable operator*(Scalar a, const Variable& b) { return apply_single(MulConstantNode(a), b); }
Variable operator/(const Variable& a, const Variable& b) { return apply_single(DivNode(), a, b); }
Variable operator/(const Variable& a, Scalar b) { return apply_single(DivConstantNode(b), a); }
Variable operator/(Scalar a, const Variable& b) { return apply_single(DivFromConstantNode(a), b); }
Variable pow(const Variable& a, const Variable& b) { return apply_single(PowNode(), a, b); }
Variable pow(const Variable& a, Scalar b) { return apply_single(PowConstantNode(b), a); }
Variable pow(Scalar a, const Variable& b) { return apply_single(PowFromConstantNode(a), b); }
#define CHAINER_CONSTANT_OPERATOR(OP)                                                     \
  Variable operator OP(const Variable& a, const Array& b) { return a OP constant(b, a); } \
  Variable operator OP(const Array& a, const Variable& b) { return constant(a, b) OP b; }
CHAINER_CONSTANT_OPERATOR(+)
CHAINER_CONSTANT_OPERATOR(-)
CHAINER_CONSTANT_OPERATOR(*)
CHAINER_CONSTANT_OPERATOR(/)
#undef CHAINER_CONSTANT_OPERATOR
Variable floor_divide(const Variable& a, const Variable& b) { return chainer::floor_divide(a.array(), b.array()); }
Variable floor_divide(const Variable& a, Scalar b) { return chainer::floor_divide(a.array(), cast_to(b, a.dtype())); }
Variable floor_divide(Scalar a, const Variable& b) { return chainer::floor_divide(cast_to(a, b.dtype()), b.array()); }

}  // namespace chainer
