// SPDX-License-Identifier: MIT
#include "chainer/array/shape.h"

#include <algorithm>

namespace chainer {

void Dims::insert(int at, int64_t v) {
  push_back(0);
  for (int i = n_ - 1; i > at; --i) d_[i] = d_[i - 1];
  d_[at] = v;
}

void Dims::erase(int at) {
  for (int i = at; i + 1 < n_; ++i) d_[i] = d_[i + 1];
  --n_;
}

void Dims::wrong_position(int64_t i) const {
  throw IndexError("axis ", i, " is out of range for ", *this, " with ", n_, " axes");
}

std::string to_string(const Dims& d) {
  std::string s = "(";
  for (int i = 0; i < d.ndim(); ++i) s += text(i ? ", " : "", d[i]);
  return s + (d.ndim() == 1 ? ",)" : ")");
}

// A later factor of 0 makes the product valid even if the partial product overflowed.
int64_t Dims::product_with_care() const {
  if (std::find(begin(), end(), 0) != end()) return 0;
  throw ValueError("the product of ", *this, " overflows 63 bits");
}

int64_t checked_size_with_care(const Dims& shape, int64_t item_size, std::string_view operation) {
  int64_t elements = 1, bytes = 0;
  bool empty = false, fits = true;
  for (int64_t n : shape) {
    if (n < 0) throw DimensionError(operation, ": negative dimensions are not allowed: ", shape);
    if (n == 0)
      empty = true;
    else
      fits = fits && !__builtin_mul_overflow(elements, n, &elements);
  }
  if (!fits || __builtin_mul_overflow(elements, item_size, &bytes)) [[unlikely]] {
    double wanted = static_cast<double>(item_size);
    for (int64_t n : shape) wanted *= static_cast<double>(std::max<int64_t>(n, 1));
    throw ValueError(operation, ": an array of shape ", shape, " is too large: ", wanted, " bytes");
  }
  return empty ? 0 : elements;
}

Strides contiguous_strides(const Dims& shape) {
  Strides s = Dims::filled(shape.ndim(), 1);
  for (int i = shape.ndim() - 2; i >= 0; --i) s[i] = s[i + 1] * shape[i + 1];
  return s;
}

int normalize_axis(int64_t axis, int ndim, std::string_view operation) {
  if (axis < -ndim || axis >= ndim)
    throw IndexError(operation, ": axis ", axis, " is out of bounds for an array of dimension ", ndim);
  return static_cast<int>(axis < 0 ? axis + ndim : axis);
}

Dims Axes::normalized(int ndim, std::string_view operation) const {
  Dims out;
  if (!given_) {
    for (int i = 0; i < ndim; ++i) out.push_back(i);
    return out;
  }
  for (int64_t a : axes_) {
    const int axis = normalize_axis(a, ndim, operation);
    if (std::find(out.begin(), out.end(), axis) != out.end())
      throw ValueError(operation, ": axis ", a, " is given twice in ", axes_);
    out.push_back(axis);
  }
  std::sort(out.begin(), out.end());
  return out;
}

Shape broadcast_shapes(const Dims& a, const Dims& b, std::string_view operation) {
  if (a == b) return Shape(a);
  const int n = std::max(a.ndim(), b.ndim());
  Shape out = Dims::filled(n, 1);
  for (int i = 0; i < n; ++i) {
    const int64_t x = i < n - a.ndim() ? 1 : a[i - n + a.ndim()], y = i < n - b.ndim() ? 1 : b[i - n + b.ndim()];
    if (x != y && x != 1 && y != 1)
      throw DimensionError(operation, ": shapes ", a, " and ", b, " cannot be broadcast together");
    out[i] = x == 1 ? y : x;
  }
  return out;
}

}  // namespace chainer
