// SPDX-License-Identifier: MIT
// Gated linear units: the first half of an axis times a function of the second one.
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"

namespace chainer::functions {
namespace {

template <class Gate>
Variable gated(std::string_view name, const Variable& x, int64_t axis, const Gate& gate) {
  const int d = normalize_axis(axis, x.ndim(), name);
  type_check::check(name.data(), {x.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x"});
    type_check::expect_floating(in[0]);
  });
  if (x.shape()[d] % 2)
    throw InvalidType("x.shape()[axis] % 2 == 0", text("x.shape()[axis]=", x.shape()[d]), "the axis has two halves");
  const Variables half = split_axis(x, 2, d);
  return half[0] * gate(half[1]);
}

}  // namespace

Variable Glu::operator()(const Variable& x, int64_t axis) const { return gated(name, x, axis, sigmoid); }
Variable Reglu::operator()(const Variable& x, int64_t axis) const { return gated(name, x, axis, relu); }
Variable Geglu::operator()(const Variable& x, int64_t axis) const { return gated(name, x, axis, gelu); }
Variable Swiglu::operator()(const Variable& x, int64_t axis) const { return gated(name, x, axis, silu); }

}  // namespace chainer::functions
