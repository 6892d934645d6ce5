// SPDX-License-Identifier: MIT
// Sparse matrices in coordinate format and their products (manual: "Sparse utilities", sparse_matmul).
#pragma once
#include <string>

#include "chainer/autograd/variable.h"
#include "chainer/functions/math.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace utils {

/// Returns "C" if the entries are sorted by row and then by column, "F" if by column and then by row, else "other".
/// Throws ValueError if row and col differ in shape.
std::string get_order(const Array& row, const Array& col);

/// Options of CooMatrix.
struct CooMatrixOptions {
  std::string order = {};  ///< "C", "F" or "other"; determined from the entries if empty
  bool requires_grad = false;
};
/// A sparse matrix, or a batch of them, as values with their rows and columns: arrays (nnz), or (batch, nnz) padded
/// with row and column -1 and value 0. An operand of functions such as F::sparse_matmul.
class CooMatrix {
 public:
  /// Throws ValueError if the arrays differ in shape, for another order, and for indices outside of `shape`:
  /// for those on a device when it is next waited for.
  CooMatrix(const Array& data, const Array& row, const Array& col, const Shape& shape,
            const CooMatrixOptions& options = {});
  CHAINER_OTHER_OPTIONS(CooMatrix, ".order, .requires_grad", const Array&, const Array&, const Array&, const Shape&);
  /// Returns the matrix as a dense array: `shape`, or (batch, rows, columns).
  Array to_dense() const;
  Variable data;
  Array row, col;  ///< int32
  Shape shape;     ///< rows and columns
  std::string order;
};

/// Returns the nonzero entries of a matrix or a batch of matrices, in C order. The arrays get a length of at least
/// `ldnz`. Throws ValueError unless x has two or three axes.
CooMatrix to_coo(const Array& x, std::optional<int64_t> ldnz = {}, bool requires_grad = false);

}  // namespace utils

namespace functions {

/// Computes the product of a sparse and a dense matrix, (m, k) times (k, n), or of batches (N, m, k) and (N, k, n); the
/// result is dense: (m, n) or (N, m, n). Gradients reach the dense operand, and the values of a sparse operand made
/// with requires_grad. Throws DimensionError if shapes do not match, TypeError unless both have one floating dtype.
///   F::sparse_matmul(utils::to_coo(array({{0.f, 2.f}, {1.f, 0.f}})), array({{1.f}, {3.f}}))  // [[6], [1]]
inline constexpr struct SparseMatmul {
  static constexpr std::string_view name = "sparse_matmul";
  Variable operator()(const utils::CooMatrix& a, const Variable& b, const MatmulOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(sparse_matmul, ".transa, .transb", const utils::CooMatrix&, const Variable&);
  Variable operator()(const Variable& a, const utils::CooMatrix& b, const MatmulOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(sparse_matmul, ".transa, .transb", const Variable&, const utils::CooMatrix&);
} sparse_matmul{};

}  // namespace functions
}  // namespace chainer
