// SPDX-License-Identifier: MIT
#include "chainer/routines/linalg.h"

#include <algorithm>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/array/multiply_adds.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer {

namespace {

// Kernels rely on these conditions, and functions do not check them if config.type_check is false.
void expect_product(const Array& a, const Array& b, const Array& out, bool into_wide) {
  const int d = out.ndim();
  bool fits = d >= 2 && d <= (out.device().is_host() ? 4 : 3) && a.ndim() == d && b.ndim() == d &&
              a.shape()[d - 2] == out.shape()[d - 2] && b.shape()[d - 1] == out.shape()[d - 1] &&
              a.shape()[d - 1] == b.shape()[d - 2];
  for (int i = 0; fits && i < d - 2; ++i) fits = a.shape()[i] == out.shape()[i] && b.shape()[i] == out.shape()[i];
  if (!fits)
    throw DimensionError("matmul: shapes ", a.shape(), " and ", b.shape(), " do not fit a result of shape ",
                         out.shape());
  const bool wide = into_wide && out.dtype() == float32 && is_floating(a.dtype()) && item_size(a.dtype()) == 2;
  if (a.dtype() != b.dtype() || (a.dtype() != out.dtype() && !wide))
    throw DtypeError("matmul: ", a.dtype(), " times ", b.dtype(), " into ", out.dtype(),
                     "; all must have the same dtype", into_wide ? " (or two of 16 bits, into float32)" : "");
  count_multiply_adds([&] { return out.size() * a.shape()[d - 1]; });
}

}  // namespace

void matmul_into(const Array& a, const Array& b, Array& out, double alpha, double beta) {
  expect_product(a, b, out, true);
  const Device& device = out.device();
  if (a.dtype() != out.dtype() && !device.is_host())
    return matmul_into(a.astype(float32), b.astype(float32), out, alpha, beta);
  if (a.device() != device || b.device() != device) [[unlikely]]
    return device.backend().gemm(a.to_device(device), b.to_device(device), out, alpha, beta);
  device.backend().gemm(a, b, out, alpha, beta);
}

void matmul_bias_into(const Array& a, const Array& b, const Array& bias, Array& out) {
  expect_product(a, b, out, false);
  if (out.ndim() != 2 || bias.ndim() != 1 || bias.size() != out.shape()[1])
    throw DimensionError("matmul: a bias of shape ", bias.shape(), " does not fit a result of shape ", out.shape());
  if (!is_floating(out.dtype()) || bias.dtype() != out.dtype())
    throw DtypeError("matmul: a bias of dtype ", bias.dtype(), " for a result of dtype ", out.dtype(),
                     "; both must have the same floating dtype");
  const Device& device = out.device();
  if (a.device() != device || b.device() != device || bias.device() != device) [[unlikely]]
    return device.backend().gemm_bias(a.to_device(device), b.to_device(device), bias.to_device(device), out);
  device.backend().gemm_bias(a, b, bias, out);
}

Array matmul(const Array& a, const Array& b) {
  const Array* const both[] = {&a, &b};
  if (on_several_devices(both)) [[unlikely]] {
    const Arrays moved = on_one_device("matmul", both);
    return matmul(moved[0], moved[1]);
  }
  if (a.ndim() == 0 || b.ndim() == 0) throw ValueError("matmul: operands must have at least one axis");
  const Dtype type = promote(a.dtype(), b.dtype());
  if (a.ndim() == 1 || b.ndim() == 1) {
    const Array x = a.ndim() == 1 ? expand_dims(a, 0) : a, y = b.ndim() == 1 ? expand_dims(b, 1) : b;
    Array out = matmul(x, y);
    if (b.ndim() == 1) out = squeeze(out, -1);
    return a.ndim() == 1 ? squeeze(out, b.ndim() == 1 ? -1 : -2) : out;
  }
  const int64_t m = a.shape(-2), k = a.shape(-1), n = b.shape(-1);
  if (b.shape(-2) != k)
    throw DimensionError("matmul: shapes ", a.shape(), " and ", b.shape(), " do not fit: ", k, " columns times ",
                         b.shape(-2), " rows");
  const Array x = a.astype(type, false), y = b.astype(type, false);
  if (b.ndim() == 2) {  // a single product, even if a is a stack
    Shape shape = a.shape();
    shape[a.ndim() - 1] = n;
    if (k == 0) return zeros(shape, type, a.device());
    const int64_t rows = Dims(a.shape().begin(), a.shape().end() - 1).product();
    Array out({rows, n}, type, a.device());
    matmul_into(a.ndim() == 2 ? x : x.reshape({rows, k}), y, out);
    return out.reshape(shape);
  }
  const Shape batch = broadcast_shapes(Dims(a.shape().begin(), a.shape().end() - 2),
                                       Dims(b.shape().begin(), b.shape().end() - 2), "matmul");
  // Stacks over two axes, such as heads of attention, are not copied on the host.
  const Shape stack = batch.ndim() == 2 && a.device().is_host() ? batch : Shape{batch.product()};
  const auto with_matrix = [](Shape s, int64_t rows, int64_t columns) {
    s.push_back(rows);
    s.push_back(columns);
    return s;
  };
  const auto stacked = [&](const Array& z) {
    const int64_t rows = z.shape(-2), columns = z.shape(-1);
    return broadcast_to(z, with_matrix(batch, rows, columns)).reshape(with_matrix(stack, rows, columns));
  };
  Array out(with_matrix(stack, m, n), type, a.device());
  if (k == 0)
    out.fill(0);
  else
    matmul_into(stacked(x), stacked(y), out);
  return out.reshape(with_matrix(batch, m, n));
}

Array dot(const Array& a, const Array& b) {
  if (a.ndim() == 0 || b.ndim() == 0) return a * b;
  if (b.ndim() <= 2) return matmul(a, b);
  const Array y = moveaxis(b, -2, 0);
  Shape rest(y.shape().begin() + 1, y.shape().end());
  const Array out = matmul(a, y.reshape({y.shape()[0], rest.product()}));
  Shape shape(a.shape().begin(), a.shape().end() - 1);
  for (int64_t n : rest) shape.push_back(n);
  return out.reshape(shape);
}

Svd svd(const Array& a) {
  if (a.ndim() < 2 || a.size() == 0) throw DimensionError("svd: expected non-empty matrices, got shape ", a.shape());
  const int64_t m = a.shape(-2), n = a.shape(-1), k = std::min(m, n), count = a.size() / (m * n);
  const Device device = a.device();
  Svd out{Array({count, m, k}, float64, device), Array({count, k}, float64, device),
          Array({count, k, n}, float64, device)};
  device.backend().svd(dense(a, float64).reshape({count, m, n}), out.u, out.s, out.vt);
  const auto shaped = [&](Array& part, const Shape& last) {
    Shape shape(a.shape().begin(), a.shape().end() - 2);
    for (const int64_t size : last) shape.push_back(size);
    part = part.reshape(shape);
  };
  shaped(out.u, {m, k}), shaped(out.s, {k}), shaped(out.vt, {k, n});
  return out;
}

}  // namespace chainer
