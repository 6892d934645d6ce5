// SPDX-License-Identifier: MIT
// Matrices of integers of 4 or 8 bits with a scale for each group of elements, and products with them.
#pragma once
#include <cstdint>

#include "chainer/array/array.h"

namespace chainer {

/// A matrix (rows, columns) of which element (i, j) is scales(i, j / group) times an integer: of 8 bits, in `values`
/// (rows, columns), int8; or of 4 bits, plus 8, in `values` (rows, (columns + 1) / 2), uint8, the element with the even
/// number in the low half of a byte. `scales` is (rows, groups), float32. Both arrays are empty if there is no matrix.
struct QuantizedMatrix {
  int bits = 8;
  int64_t group = 64, columns = 0;
  Array values = {}, scales = {};
  Dtype dtype = float32;  ///< of the matrix before, and of rows that are taken from it
  explicit operator bool() const { return static_cast<bool>(values); }
  int64_t rows() const { return values.shape(0); }
  QuantizedMatrix on_host() const {
    return {bits, group, columns, values.to_device(Device()), scales.to_device(Device()), dtype};
  }
};

namespace host_kernels {

/// Returns a matrix rounded to integers: in each group of a row the largest absolute value becomes 7 or 127. With
/// `search`, the scale is the one of several smaller ones that gives the least squares of errors. W is floating and on
/// the host. Throws ValueError, beginning with `what`, unless W is a matrix of finite numbers, `bits` is 4 or 8 and
/// `group` is a positive multiple of 8.
QuantizedMatrix quantized_matrix(const Array& W, int bits, int64_t group, bool search, const char* what);
/// Returns the matrix as float32; with `index` (int64, on the host), only these rows.
Array to_float(const QuantizedMatrix& q, const Array& index = {});
/// Returns x q^T (n, rows) for x (n, columns), float32 and contiguous on the host. The integers are converted in
/// registers for every four rows of x, so that with few rows the time is that of reading the integers.
inline constexpr int64_t kFewRows = 128;  ///< with more rows, a product with to_float() is faster
Array quantized_product(const Array& x, const QuantizedMatrix& q);

}  // namespace host_kernels
}  // namespace chainer
