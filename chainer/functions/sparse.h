// Sparse matrices in coordinate format and their products (manual: "Sparse utilities", sparse_matmul).
#pragma once
#include <string>

#include "chainer/autograd/variable.h"
#include "chainer/functions/math.h"

namespace chainer {
namespace utils {

/// "C" where the entries are sorted by row and then by column, "F" by column and then by row, else "other".
std::string get_order(const Array& row, const Array& col);

/// Options of CooMatrix.
struct CooMatrixOptions {
  std::string order = {};  ///< "C", "F" or "other"; found out where it is empty
  bool requires_grad = false;
};
/// A sparse matrix, or a batch of them, as values with their rows and columns: arrays (nnz), or (batch, nnz) padded
/// with row and column -1 and value 0. Only functions such as F::sparse_matmul take it.
class CooMatrix {
 public:
  /// ValueError for other shapes, orders, or indices outside of `shape`.
  CooMatrix(const Array& data, const Array& row, const Array& col, const Shape& shape,
            const CooMatrixOptions& options = {});
  /// The same matrix as a dense array.
  Array to_dense() const;
  Variable data;
  Array row, col;  ///< int32
  Shape shape;     ///< rows and columns
  std::string order;
};

/// The entries that are not zero of a matrix or a batch of matrices, in C order. `ldnz` asks for longer arrays.
CooMatrix to_coo(const Array& x, std::optional<int64_t> ldnz = {}, bool requires_grad = false);

}  // namespace utils

namespace functions {

/// The product of a sparse and a dense matrix, or of batches of them (N, ., .); the result is dense. Gradients reach
/// the dense operand, and the values of a sparse one that asked for them.
///   F::sparse_matmul(utils::to_coo(array({{0.f, 2.f}, {1.f, 0.f}})), array({{1.f}, {3.f}}))  // [[6], [1]]
inline constexpr struct SparseMatmul {
  static constexpr std::string_view name = "sparse_matmul";
  Variable operator()(const utils::CooMatrix& a, const Variable& b, const MatmulOptions& options = {}) const;
  Variable operator()(const Variable& a, const utils::CooMatrix& b, const MatmulOptions& options = {}) const;
} sparse_matmul{};

}  // namespace functions
}  // namespace chainer
