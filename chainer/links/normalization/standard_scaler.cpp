// SPDX-License-Identifier: MIT
#include <cmath>
#include <vector>

#include "chainer/array/host.h"
#include "chainer/functions/math.h"
#include "chainer/links/normalization.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::links {
namespace {

// Moves statistics, which were loaded before the scaler was moved, to the device of the numbers.
void follow_device(StandardScaler& s, const Device& device) {
  for (Array* a : {&s.mean, &s.scale})
    if (*a && a->device() != device) *a = a->to_device(device);
}
void check_columns(const char* operation, const Shape& shape, const Array& mean) {
  if (!mean) throw RuntimeError("StandardScaler: call fit() first, or load a fitted scaler");
  if (shape.ndim() < 1 || Shape(shape.begin() + 1, shape.end()) != mean.shape())
    throw DimensionError("StandardScaler: ", operation, " expects rows of shape ", mean.shape(),
                         ", as in fit(), got an array of shape ", shape);
}

}  // namespace

StandardScaler::StandardScaler(std::optional<int64_t> columns) {
  if (columns) mean = zeros({*columns}), scale = ones({*columns});
}

void StandardScaler::fit(const Array& x) {
  if (x.dtype() == Dtype::bool_) throw TypeError("StandardScaler: fit() expects numbers, not ", x.dtype());
  if (x.ndim() < 1 || x.shape()[0] == 0)
    throw ValueError("StandardScaler: fit() expects rows, not an array of shape ", x.shape());
  const Array rows = to_host(x).astype(float64).contiguous();
  const int64_t n = rows.shape()[0], columns = rows.size() / n;
  const Shape shape(x.shape().begin() + 1, x.shape().end());
  Array m(shape, float64), d(shape, float64);
  const double* v = rows.data<double>();
  double *to_m = m.mutable_data<double>(), *to_d = d.mutable_data<double>();
  for (int64_t c = 0; c < columns; ++c) {
    double sum = 0, squares = 0;
    int64_t count = 0;
    for (int64_t r = 0; r < n; ++r)
      if (!std::isnan(v[r * columns + c])) sum += v[r * columns + c], ++count;
    if (count == 0) throw ValueError("StandardScaler: column ", c, " is NaN in all ", n, " rows");
    const double middle = sum / static_cast<double>(count);
    for (int64_t r = 0; r < n; ++r)
      if (const double e = v[r * columns + c] - middle; !std::isnan(e)) squares += e * e;
    const double deviation = std::sqrt(squares / static_cast<double>(count));
    to_m[c] = middle;
    // A deviation below the rounding error of the mean: the column is constant.
    to_d[c] = deviation > 1e-14 * std::abs(middle) ? deviation : 1;
  }
  const Dtype dtype = is_floating(x.dtype()) ? x.dtype() : float32;
  mean = m.astype(dtype).to_device(x.device());
  scale = d.astype(dtype).to_device(x.device());
}

Variable StandardScaler::forward(const Variable& x) {
  check_columns("the link", x.shape(), mean);
  follow_device(*this, x.device());
  return (x - mean) / scale;
}
Array StandardScaler::transform(const Array& x) {
  check_columns("transform()", x.shape(), mean);
  return (x - mean) / scale;
}
Variable StandardScaler::inverse(const Variable& y) {
  check_columns("inverse()", y.shape(), mean);
  follow_device(*this, y.device());
  return y * scale + mean;
}

CHAINER_DEFINE_MEMBERS(StandardScaler, mean, scale)

}  // namespace chainer::links
