// SPDX-License-Identifier: MIT
#include "chainer/routines/creation.h"

#include <cmath>
#include <cstring>

#include "chainer/array/order.h"

namespace chainer {

namespace {
Array filled(Array a, Scalar value) {
  a.fill(value);
  return a;
}
}  // namespace

Array empty(const Shape& shape, Dtype dtype, Device device) { return Array(shape, dtype, device); }
Array zeros(const Shape& shape, Dtype dtype, Device device) { return filled(Array(shape, dtype, device), 0); }
Array ones(const Shape& shape, Dtype dtype, Device device) { return filled(Array(shape, dtype, device), 1); }
Array full(const Shape& shape, Scalar value, Dtype dtype, Device device) {
  return filled(Array(shape, dtype, device), value);
}

Array empty_like(const Array& a) {
  const Array* const like[] = {&a};
  return empty_in_order(a.shape(), a.dtype(), a.device(), result_order(like));
}
Array zeros_like(const Array& a) { return full_like(a, 0); }
Array ones_like(const Array& a) { return full_like(a, 1); }
Array full_like(const Array& a, Scalar value) {
  Array out = empty_like(a);
  out.fill(value);
  return out;
}

namespace {
// Returns the number of values from `start` to below `stop`; -1 if there are too many.
int64_t count(double start, double stop, double step) {
  const double length = std::ceil((stop - start) / step);
  return !(length < 0x1p60) ? -1 : length > 0 ? static_cast<int64_t>(length) : 0;
}
int64_t count(int64_t start, int64_t stop, int64_t step) {
  if (step > 0 ? start >= stop : start <= stop) return 0;
  // The distance may need 64 bits without a sign: int64 is too short, double is not exact.
  const auto u = [](int64_t v) { return static_cast<uint64_t>(v); };
  const uint64_t span = step > 0 ? u(stop) - u(start) : u(start) - u(stop), stride = step > 0 ? u(step) : -u(step);
  const uint64_t n = (span - 1) / stride + 1;
  return n < uint64_t(1) << 60 ? static_cast<int64_t>(n) : -1;
}
}  // namespace

Array arange(Scalar start, Scalar stop, Scalar step, std::optional<Dtype> dtype) {
  if (step.to_double() == 0) throw ValueError("arange: the step must not be zero");
  const bool floating = start.kind() == 'f' || stop.kind() == 'f' || step.kind() == 'f';
  const int64_t n = floating ? count(start.to_double(), stop.to_double(), step.to_double())
                             : count(start.to_int(), stop.to_int(), step.to_int());
  if (n < 0) throw ValueError("arange: ", start, " to ", stop, " by ", step, " has too many elements");
  Array a({n}, floating ? float64 : int64);
  if (floating) {
    double* p = a.mutable_data<double>();
    for (int64_t i = 0; i < n; ++i) p[i] = start.to_double() + static_cast<double>(i) * step.to_double();
  } else {
    int64_t* p = a.mutable_data<int64_t>();
    for (int64_t i = 0, v = start.to_int(); i < n; ++i, __builtin_add_overflow(v, step.to_int(), &v)) p[i] = v;
  }
  return dtype ? a.astype(*dtype, false) : a;
}
Array arange(Scalar stop) { return arange(0, stop); }

Array linspace(double start, double stop, int64_t count, Dtype dtype) {
  Array a({count}, float64);
  double* p = a.mutable_data<double>();
  const double step = count > 1 ? (stop - start) / static_cast<double>(count - 1) : 0;
  for (int64_t i = 0; i < count; ++i) p[i] = start + static_cast<double>(i) * step;
  if (count > 1) p[count - 1] = stop;
  return a.astype(dtype, false);
}

Array eye(int64_t n, std::optional<int64_t> m, int64_t k, Dtype dtype) {
  const int64_t columns = m.value_or(n);
  Array a = zeros({n, columns}, float64);
  double* p = a.mutable_data<double>();
  for (int64_t i = 0; i < n; ++i)
    if (i + k >= 0 && i + k < columns) p[i * columns + i + k] = 1;
  return a.astype(dtype, false);
}

}  // namespace chainer
