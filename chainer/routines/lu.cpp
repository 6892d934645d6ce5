// SPDX-License-Identifier: MIT
// Determinants and inverses, computed in float64 for every dtype.
#include "chainer/array/backend.h"
#include "chainer/routines/linalg.h"

namespace chainer {
namespace {

// Returns a writable copy of the matrices, as one stack.
Array stacked(const Array& a, std::string_view name) {
  if (a.ndim() < 2 || a.shape(-1) != a.shape(-2))
    throw DimensionError(name, ": expected square matrices, got shape ", a.shape());
  const Shape batch(a.shape().begin(), a.shape().end() - 2);
  return a.contiguous().astype(float64).reshape({batch.product(), a.shape(-1), a.shape(-1)});
}

}  // namespace

Array inv(const Array& a) {
  Array matrices = stacked(a, "inv");
  if (const int64_t i = matrices.size() ? a.device().backend().invert(matrices) : -1; i >= 0)
    throw ValueError("inv: matrix ", i, " is singular");
  const Array out = matrices.reshape(a.shape());
  return is_floating(a.dtype()) ? out.astype(a.dtype(), false) : out;
}

Array det(const Array& a) {
  Array matrices = stacked(a, "det");
  Array out({matrices.shape()[0]}, float64, a.device());
  if (matrices.size())
    a.device().backend().determinants(matrices, out);
  else
    out.fill(1);
  out = out.reshape(Shape(a.shape().begin(), a.shape().end() - 2));
  return is_floating(a.dtype()) ? out.astype(a.dtype(), false) : out;
}

}  // namespace chainer
