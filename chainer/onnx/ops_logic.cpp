// SPDX-License-Identifier: MIT
// Comparisons, boolean operators and Where.
#include "chainer/functions/array.h"
#include "chainer/onnx/call.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::onnx {
namespace {

template <Mask (*routine)(const Array&, const Array&)>
Variables compare(const Call& c) {
  return {Variable(routine(c.array(0), c.array(1)), false)};
}
template <Mask (*routine)(const Array&)>
Variables test(const Call& c) {
  return {Variable(routine(c.array(0)), false)};
}
Variables isinf(const Call& c) {
  const bool negative = c.integer("detect_negative", 1), positive = c.integer("detect_positive", 1);
  const Array x = c.array(0), infinite = chainer::isinf(x);
  if (negative && positive) return {infinite};
  return {negative ? infinite & (x < 0) : positive ? infinite & (x > 0) : infinite & logical_not(infinite)};
}
Variables where(const Call& c) {
  if (is_floating(c[1].dtype())) return {functions::where(c[0], c[1], c[2])};
  return {Variable(chainer::where(c.array(0), c.array(1), c.array(2)).astype(c[1].dtype(), false), false)};
}

constexpr Operator kOperators[] = {
    {"And", 7, compare<chainer::logical_and>},
    {"Equal", 7, compare<chainer::equal>},
    {"Greater", 7, compare<chainer::greater>},
    {"GreaterOrEqual", 12, compare<chainer::greater_equal>},
    {"IsInf", 10, isinf},
    {"IsNaN", 9, test<chainer::isnan>},
    {"Less", 7, compare<chainer::less>},
    {"LessOrEqual", 12, compare<chainer::less_equal>},
    {"Not", 1, test<chainer::logical_not>},
    {"Or", 7, compare<chainer::logical_or>},
    {"Where", 9, where},
    {"Xor", 7, compare<chainer::logical_xor>},
};

}  // namespace

std::span<const Operator> logic_operators() { return kOperators; }

}  // namespace chainer::onnx
