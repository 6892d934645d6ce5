// The tables of contiguous inner loops, one per instruction set. The driver around them knows about layouts, dtypes
// and threads; these loops know neither.
#pragma once
#include <cstdint>

#include "chainer/array/operations/ops.h"
#include "chainer/array/operations/recurrent_cells.h"

namespace chainer::cpu {

/// The types kernels compute in; arrays of other dtypes are converted block by block.
enum Compute : int { kF32, kF64, kI64, kMask, kComputeCount };

/// out[i] = f(a[i], b[i], c[i]); operands that an operation lacks are not read. `out` may be one of the operands.
using ElementKernel = void (*)(void* out, const void* a, const void* b, const void* c, int64_t n);
/// Elements of some dtype at a stride, converted to a block of a compute type, and back.
using LoadKernel = void (*)(void* block, const void* from, int64_t stride, int64_t n);
using StoreKernel = void (*)(void* to, int64_t stride, const void* block, int64_t n);
/// Reduces a block to one value, written as double (floating types) or int64.
using RowKernel = void (*)(void* result, const void* block, int64_t n);
/// Combines rows of n elements, one behind the other, with `acc`, in order; with `start` the first takes its place.
using ColumnKernel = void (*)(void* acc, const void* rows, int64_t n, int64_t count, bool start);
using UpdateKernel = void (*)(void* w, const void* g, void* s0, void* s1, void* s2, const double* h, int64_t n);
/// Softmax (or its logarithm) of one row.
using SoftmaxKernel = void (*)(void* out, const void* in, int64_t n, bool log);

using RowsKernel = void (*)(void* out, const void* left, const void* w, const int64_t* index, int64_t k, int64_t d,
                            bool fetch);

/// The memory of cells of the LSTM family, contiguous rows; gradients are used by lstm_grad only.
struct LstmArrays {
  const void* const* x = nullptr;       // a pointer a source
  const void* const* c_prev = nullptr;  // a pointer a source and child
  void *c = nullptr, *h = nullptr;
  const void *gc = nullptr, *gh = nullptr;  // nullptr where zero
  void* const* gx = nullptr;
  void* const* gc_prev = nullptr;  // entries may be nullptr
};
/// Likewise of GRU cells: the gates' parts that come from the input and from the state, one behind the other r, z, h.
struct GruArrays {
  const void *x = nullptr, *hx = nullptr, *h_prev = nullptr;
  void* h = nullptr;
  const void* gh = nullptr;
  void *gx = nullptr, *ghx = nullptr, *gh_prev = nullptr;
};

/// out = alpha a b + beta out, where a has at most kThinRows rows of k elements without gaps, and b k rows; or columns,
/// each of them without gaps, if it is transposed. out(i, j) lies at out[i * out_row + j * out_column].
struct ThinProduct {
  int64_t rows, k;
  const float* a;
  const float* b;
  int64_t b_step;
  bool b_transposed;
  float* out;
  int64_t out_row, out_column;
  float alpha, beta;
};
inline constexpr int64_t kThinRows = 4;

/// How many columns sum_few_columns() takes at most.
inline constexpr int64_t kFewColumns = 24;

struct Kernels {
  const char* name;
  ElementKernel elementwise[3][static_cast<int>(Elementwise::count)];
  LoadKernel load[kComputeCount][10];
  StoreKernel store[kComputeCount][10];
  RowKernel row[3][4];
  ColumnKernel columns[3][4];
  /// sums += acc for n sums of groups of floats; with `start` they are taken as they are.
  void (*widen_columns)(double* sums, const void* acc, int64_t n, bool start);
  /// The sums of at most kFewColumns columns of float32 over `count` rows, set at the start or added.
  void (*sum_few_columns)(double* sums, const void* rows, int64_t n, int64_t count, bool start);
  /// out[j * out_step + i] = in[i * in_step + j] for i < rows, j < columns, by the bytes of an element (1, 2, 4, 8).
  void (*transpose[9])(void* out, int64_t out_step, const void* in, int64_t in_step, int64_t rows, int64_t columns);
  UpdateKernel update[2][static_cast<int>(Update::count)];
  SoftmaxKernel softmax[2];
  /// For one row x of d elements and k rows of w picked by index: out[j] = x . w[index[j]], and out = the sum of
  /// g[j] w[index[j]]. With `fetch` the index goes on for at least max(k, rows_ahead) entries, whose rows are fetched
  /// meanwhile.
  RowsKernel rows_dot[2], rows_combine[2];
  int64_t rows_ahead;
  /// Columns [begin, end) of a product. Beginnings at multiples of 64 give the same bits, however it is cut.
  void (*thin_product)(const ThinProduct& p, int64_t begin, int64_t end);
  /// y += a x
  void (*add_scaled[2])(void* y, double a, const void* x, int64_t n);
  /// One row of n elements with mean 0 and variance 1, and its gradient (see Backend::standardize).
  void (*standardize[2])(void* y, const void* x, int64_t n, double eps, double* rstd);
  void (*standardize_grad[2])(void* gx, const void* gy, const void* y, int64_t n, double rstd);
  /// Rows [begin, end) of recurrent cells and their gradients (see Backend::lstm and Backend::gru).
  void (*lstm[2])(const LstmCells& cells, const LstmArrays& arrays, int64_t begin, int64_t end);
  void (*lstm_grad[2])(const LstmCells& cells, const LstmArrays& arrays, int64_t begin, int64_t end);
  void (*gru[2])(int64_t units, const GruArrays& arrays, int64_t begin, int64_t end);
  void (*gru_grad[2])(int64_t units, const GruArrays& arrays, int64_t begin, int64_t end);
  /// Philox 4x32-10: n words of the stream `seed` from word number 4 * block on; n is a multiple of four.
  void (*philox)(uint32_t* out, uint64_t seed, uint64_t block, int64_t n);
};

/// The table of the best instruction set this processor has, or of the one CHAINER_ISA names (baseline, avx2, avx512).
const Kernels& kernels();

}  // namespace chainer::cpu
