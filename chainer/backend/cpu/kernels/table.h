// SPDX-License-Identifier: MIT
// The tables of kernels, that is, of contiguous inner loops, one per instruction set. Layouts, dtypes and threads are
// handled by their callers.
#pragma once
#include <cstdint>

#include "chainer/array/dtype.h"
#include "chainer/array/operations/families.h"
#include "chainer/array/operations/recurrent_cells.h"

namespace chainer::cpu {

/// The types in which kernels compute; arrays of other dtypes are converted block by block.
enum Compute : int { kF32, kF64, kI64, kMask, kComputeCount };

/// out[i] = f(a[i], b[i], c[i]). Operands that the operation lacks are not read. `out` may be one of the operands.
using ElementKernel = void (*)(void* out, const void* a, const void* b, const void* c, int64_t n);
/// Convert elements of a dtype at a stride to a block of a compute type, and back.
using LoadKernel = void (*)(void* block, const void* from, int64_t stride, int64_t n);
using StoreKernel = void (*)(void* to, int64_t stride, const void* block, int64_t n);
/// Reduces a block to one value, stored as double (floating types) or int64.
using RowKernel = void (*)(void* result, const void* block, int64_t n);
/// Combines rows of n elements, which begin `step` elements apart, with `acc`, in order. With `start`, the first row
/// replaces `acc`.
using ColumnKernel = void (*)(void* acc, const void* rows, int64_t step, int64_t n, int64_t count, bool start);
using UpdateKernel = void (*)(void* w, const void* g, void* s0, void* s1, void* s2, const double* h, int64_t n);
/// Softmax or log-softmax of one row.
using SoftmaxKernel = void (*)(void* out, const void* in, int64_t n, bool log);

using RowsKernel = void (*)(void* out, const void* left, const void* w, const int64_t* index, int64_t k, int64_t d,
                            bool fetch);

/// The arrays of LSTM-family cells, in contiguous rows. The gradients are used by lstm_grad only.
struct LstmArrays {
  const void* const* x = nullptr;       // one pointer per source
  const void* const* c_prev = nullptr;  // one pointer per source and child
  void *c = nullptr, *h = nullptr;
  const void *gc = nullptr, *gh = nullptr;  // nullptr means zero
  void* const* gx = nullptr;
  void* const* gc_prev = nullptr;  // entries may be nullptr
};
/// The arrays of GRU cells: the gates' parts from the input (x) and from the state (hx), with r, z and h in this order.
struct GruArrays {
  const void *x = nullptr, *hx = nullptr, *h_prev = nullptr;
  void* h = nullptr;
  const void* gh = nullptr;
  void *gx = nullptr, *ghx = nullptr, *gh_prev = nullptr;
};

/// out = alpha a b + beta out, where a has at most kThinRows contiguous rows of k elements, and b has k rows; if b is
/// transposed, its columns are contiguous. out(i, j) is out[i * out_row + j * out_column].
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

/// The largest number of columns for sum_few_columns().
inline constexpr int64_t kFewColumns = 24;

/// Room for the operations of the lists, so that a new row compiles one kernel source again, not all of them.
inline constexpr int kMostElementwise = 128, kMostUpdates = 32;

struct Kernels {
  const char* name;
  ElementKernel elementwise[3][kMostElementwise];
  LoadKernel load[kComputeCount][10];
  StoreKernel store[kComputeCount][10];
  /// out[i] = in[i] rounded to float16 and to bfloat16; `out` may be `in`.
  void (*round[2])(float* out, const float* in, int64_t n);
  RowKernel row[3][4];
  ColumnKernel columns[3][4];
  /// sums += acc for n sums of groups of floats; with `start`, sums = acc.
  void (*widen_columns)(double* sums, const void* acc, int64_t n, bool start);
  /// Sums at most kFewColumns float32 columns over `count` rows; with `start`, overwrites `sums`, else adds to them.
  void (*sum_few_columns)(double* sums, const void* rows, int64_t n, int64_t count, bool start);
  /// out[j * out_step + i] = in[i * in_step + j] for i < rows, j < columns; indexed by the size of an element (1, 2, 4,
  /// 8).
  void (*transpose[9])(void* out, int64_t out_step, const void* in, int64_t in_step, int64_t rows, int64_t columns);
  UpdateKernel update[2][kMostUpdates];
  SoftmaxKernel softmax[2];
  /// For a row x of d elements and k rows of w selected by index: out[j] = x . w[index[j]] (rows_dot), and out = sum
  /// over j of g[j] w[index[j]] (rows_combine). With `fetch`, the index has at least max(k, rows_ahead) entries, whose
  /// rows are prefetched.
  RowsKernel rows_dot[2], rows_combine[2];
  int64_t rows_ahead;
  /// Computes columns [begin, end) of a product. If `begin` is a multiple of 64, the results do not depend on the
  /// split.
  void (*thin_product)(const ThinProduct& p, int64_t begin, int64_t end);
  /// y += a x
  void (*add_scaled[2])(void* y, double a, const void* x, int64_t n);
  /// Standardizes a row of n elements, and computes the gradient (see Backend::standardize).
  void (*standardize[2])(void* y, const void* x, int64_t n, double eps, double* rstd);
  void (*standardize_grad[2])(void* gx, const void* gy, const void* y, int64_t n, double rstd);
  /// Rows [begin, end) of recurrent cells, and their gradients (see Backend::lstm and Backend::gru).
  void (*lstm[2])(const LstmCells& cells, const LstmArrays& arrays, int64_t begin, int64_t end);
  void (*lstm_grad[2])(const LstmCells& cells, const LstmArrays& arrays, int64_t begin, int64_t end);
  void (*gru[2])(int64_t units, const GruArrays& arrays, int64_t begin, int64_t end);
  void (*gru_grad[2])(int64_t units, const GruArrays& arrays, int64_t begin, int64_t end);
  /// Philox 4x32-10: n words of the stream `seed`, starting at word 4 * block; n is a multiple of four.
  void (*philox)(uint32_t* out, uint64_t seed, uint64_t block, int64_t n);
};

/// Returns the table of the best instruction set of this processor, or of the one named by CHAINER_ISA: baseline, avx2,
/// avx512 (with the extensions for products of 16 and 8 bits) or amx (and tiles).
const Kernels& kernels();
/// Returns true if the table is that of AVX-512, so that its extensions may be used; with `tiles`, if AMX may be used.
bool allows_extensions(bool tiles = false);

}  // namespace chainer::cpu
