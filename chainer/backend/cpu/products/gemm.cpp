// SPDX-License-Identifier: MIT
// Matrix products: by the fastest available library, or by own loops.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "chainer/array/host_kernels/constant_weights_scope.h"
#include "chainer/backend/cpu/products/blas.h"
#include "chainer/backend/cpu/cpu_backend.h"
#include "chainer/backend/cpu/kernels/bfloat_table.h"
#include "chainer/backend/cpu/loops/scratch_buffer.h"
#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/backend/cpu/products/bfloat_product.h"
#include "chainer/backend/cpu/products/matrix_stack.h"
#include "chainer/backend/cpu/products/own_product.h"
#include "chainer/backend/cpu/products/problem.h"
#include "chainer/backend/cpu/products/thin_product.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

constexpr int64_t kSmall = 16384;  // products with fewer multiplications are faster without oneDNN's set-up
// oneDNN's products are split into pieces of at least this many multiplications, at multiples of its tiles.
constexpr int64_t kPiece = int64_t(1) << 21, kAlign = 48, kMostPieces = 8;
// Sums of at least twice this length are split, if there are at most this many of them.
constexpr int64_t kLongSum = 2048, kFewSums = int64_t(1) << 20;
constexpr int64_t kBlasPiece = int64_t(1) << 18;  // for OpenBLAS, whose calls have less overhead
// With few rows or columns, a product is bound by reading the matrix, and smaller pieces are worth a thread.
constexpr int64_t kThinPiece = int64_t(1) << 18;
// With at least this many rows, packing a transposed second matrix for the own kernel pays.
constexpr int64_t kPanelRows = 256;

// With fewer columns, or in stacks, matrices of 16 bits with few rows are converted as a whole.
constexpr int64_t kManyColumns = 128;

// Explicit lanes fill vectors; a single sum could not without another order of additions.
template <class T>
T dot(const T* a, const T* b, int64_t n) {
  constexpr int kLanes = 64 / sizeof(T);
  T lane[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int l = 0; l < kLanes; ++l) lane[l] += a[i + l] * b[i + l];
  for (int l = 0; i + l < n; ++l) lane[l] += a[i + l] * b[i + l];
  for (int width = kLanes / 2; width > 0; width /= 2)
    for (int l = 0; l < width; ++l) lane[l] += lane[l + width];
  return lane[0];
}

// Computes rows [begin, end) of the result, by loops over tiles of B that stay in cache.
template <class T>
void plain_rows(const Problem<T>& p, int64_t begin, int64_t end) {
  constexpr int64_t kDepth = 256, kWidth = 512;
  if (p.beta != T(0)) {  // the product has the same bits as with beta = 0
    std::vector<T> product(static_cast<std::size_t>((end - begin) * p.n));
    Problem<T> alone = p;
    alone.c = product.data(), alone.ldc = p.n, alone.beta = 0;
    alone.m = end - begin, alone.a += begin * (p.ta ? 1 : p.lda);
    plain_rows(alone, 0, alone.m);
    for (int64_t i = begin; i < end; ++i)
      for (int64_t j = 0; j < p.n; ++j)
        p.c[i * p.ldc + j] =
            static_cast<T>(p.beta * p.c[i * p.ldc + j]) + product[static_cast<std::size_t>((i - begin) * p.n + j)];
    return;
  }
  T row[kDepth];  // a part of a row of A, if its elements are not contiguous
  for (int64_t i = begin; i < end; ++i) std::fill_n(p.c + i * p.ldc, p.n, T(0));
  for (int64_t l0 = 0; l0 < p.k; l0 += kDepth) {
    const int64_t l1 = std::min(p.k, l0 + kDepth);
    for (int64_t j0 = 0; j0 < p.n; j0 += kWidth) {
      const int64_t j1 = std::min(p.n, j0 + kWidth);
      for (int64_t i = begin; i < end; ++i) {
        T* c = p.c + i * p.ldc;
        if (p.tb) {
          if (p.ta)
            for (int64_t l = l0; l < l1; ++l) row[l - l0] = p.a[l * p.lda + i];
          const T* a = p.ta ? row : p.a + i * p.lda + l0;
          for (int64_t j = j0; j < j1; ++j) c[j] += p.alpha * dot(a, p.b + j * p.ldb + l0, l1 - l0);
        } else {
          for (int64_t l = l0; l < l1; ++l) {
            const T x = p.alpha * (p.ta ? p.a[l * p.lda + i] : p.a[i * p.lda + l]);
            const T* b = p.b + l * p.ldb;
            for (int64_t j = j0; j < j1; ++j) c[j] += x * b[j];
          }
        }
      }
    }
  }
}

// Computes a product by single-threaded calls of a library, in pieces of the columns or rows: run(piece). The split
// depends on the shape only, so that results do not depend on the number of threads, although libraries select kernels
// by the shape. Threads also do not wait at a library's barriers for threads that the system does not schedule.
//
// For each piece the library packs the other matrix again, which for long sums over few columns takes as long as the
// product: such products are split along the inner axis first, and the parts are added in order.
template <class T, class F>
void in_pieces(const Problem<T>& p, int64_t least, F&& run) {
  const bool columns = p.n >= p.m;
  const int64_t length = columns ? p.n : p.m, work = p.m * p.n * p.k, size = p.m * p.n;
  const bool thin = std::min(p.m, p.n) <= kThinRows;
  const int64_t parts = thin || size > kFewSums ? 1 : std::clamp<int64_t>(p.k / kLongSum, 1, kMostPieces);
  const int64_t pieces =
      std::max<int64_t>(1, std::min({work / (thin ? kThinPiece : least), length / kAlign, kMostPieces}) / parts);
  const int64_t units = (length + kAlign - 1) / kAlign;
  std::optional<ScratchBuffer> memory;
  if (parts > 1) memory.emplace(parts * size * static_cast<int64_t>(sizeof(T) / sizeof(float)));
  T* const sums = parts > 1 ? reinterpret_cast<T*>(memory->data()) : nullptr;
  parallel(static_cast<int>(parts * pieces), thin ? work : work / 8, [&](int task) {
    const int64_t i = task / pieces, piece = task % pieces;
    const int64_t begin = units * piece / pieces * kAlign, inner = p.k * i / parts;
    Problem<T> part = p;
    (columns ? part.n : part.m) = std::min(length, units * (piece + 1) / pieces * kAlign) - begin;
    if (parts > 1) {
      part.k = p.k * (i + 1) / parts - inner, part.a += inner * (p.ta ? p.lda : 1),
      part.b += inner * (p.tb ? 1 : p.ldb);
      part.c = sums + i * size, part.ldc = p.n, part.beta = 0;
    }
    if (columns)
      part.b += begin * (p.tb ? p.ldb : 1), part.c += begin;
    else
      part.a += begin * (p.ta ? 1 : p.lda), part.c += begin * part.ldc;
    run(part);
  });
  if (parts == 1) return;
  parallel_ranges(p.m, parts * size, 1, [&](int64_t first, int64_t last) {
    for (int64_t r = first; r < last; ++r) {
      T* const sum = sums + r * p.n;
      for (int64_t i = 1; i < parts; ++i)
        for (int64_t j = 0; j < p.n; ++j) sum[j] += sum[i * size + j];
      T* const c = p.c + r * p.ldc;
      for (int64_t j = 0; j < p.n; ++j) c[j] = p.beta == T(0) ? sum[j] : static_cast<T>(p.beta * c[j]) + sum[j];
    }
  });
}

void by_onednn_on_one_thread(SgemmFunction f, const Problem<float>& p) {
  const LibraryThreads one(1);
  const int status =
      f(p.ta ? 'T' : 'N', p.tb ? 'T' : 'N', p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb, p.beta, p.c, p.ldc);
  if (status != 0) throw RuntimeError("matmul: oneDNN failed with status ", status);
}
void by_onednn(SgemmFunction f, const Problem<float>& all) {
  in_pieces(all, kPiece, [&](const Problem<float>& p) { by_onednn_on_one_thread(f, p); });
}

// `f` is OpenBLAS's sgemm or dgemm.
template <class T, class F>
void by_blas(F f, const Problem<T>& all) {
  in_pieces(all, kBlasPiece, [&](const Problem<T>& p) {
    f(101, p.ta ? 112 : 111, p.tb ? 112 : 111, static_cast<int>(p.m), static_cast<int>(p.n), static_cast<int>(p.k),
      p.alpha, p.a, static_cast<int>(p.lda), p.b, static_cast<int>(p.ldb), p.beta, p.c, static_cast<int>(p.ldc));
  });
}

template <class T>
void by_loops(const Problem<T>& p) {
  parallel_ranges(p.m, p.m * p.n * p.k / 8, 8, [&](int64_t begin, int64_t end) { plain_rows(p, begin, end); });
}

// Returns true if the own kernel is faster: without a library, if there are enough rows to pack the second matrix for;
// with one, if the second matrix is transposed and there are many rows.
bool suits_panels(const Problem<float>& p, bool library) {
  if (p.alpha != 1 || (p.beta != 0 && p.beta != 1) || p.n < 16 || p.k < 16 || library_is_chosen()) return false;
  return library ? p.tb && !p.ta && p.m >= kPanelRows : p.m >= 4 && p.m * p.n * p.k > kSmall;
}

void multiply(const Problem<float>& p) {
  if (is_thin(p.m, p.n, p.k, p.ta, p.tb)) return multiply_thin(p);
  const int64_t work = p.m * p.n * p.k;
  const SgemmFunction onednn = work > kSmall ? onednn_sgemm() : nullptr;
  const Blas* const b = work > 64 && !onednn ? blas() : nullptr;
  if (work > kSmall && suits_rows(p, onednn) && !library_is_chosen()) {
    if (!onednn) return multiply_by_rows(p, {});
    return multiply_by_rows(p, [onednn](const Problem<float>& rest) { by_onednn_on_one_thread(onednn, rest); });
  }
  if (suits_panels(p, onednn || b)) return multiply_by_panels(p);
  if (onednn) return by_onednn(onednn, p);
  if (b) return by_blas(b->sgemm, p);
  by_loops(p);
}
void multiply(const Problem<double>& p) {
  if (const Blas* b = p.m * p.n * p.k > 64 ? blas() : nullptr) return by_blas(b->dgemm, p);
  by_loops(p);
}
template <class T>
void multiply(const Problem<T>& p) {
  by_loops(p);
}

// Computes a stack of products by run(i), which are divided among the threads unless each is split itself.
template <class F>
void each_product(const MatrixStack& stack, F&& run) {
  const int64_t work = stack.m * stack.n * stack.k;
  if (stack.batch == 1 || work >= 2 * kPiece) {
    for (int64_t i = 0; i < stack.batch; ++i) run(i);
    return;
  }
  parallel_ranges(stack.batch, stack.batch * work, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) run(i);
  });
}

// Computes products of matrices of 16 bits by multiply(problem).
void half_products(const MatrixStack& stack, Array& out, double alpha, double beta,
                   void (*multiply)(const HalfProblem&)) {
  if (stack.k == 0) {
    if (beta == 0)
      out.fill(0);
    else
      out *= static_cast<float>(beta);
    return;
  }
  const auto *a = static_cast<const uint16_t*>(stack.x.array.raw()),
             *b = static_cast<const uint16_t*>(stack.y.array.raw());
  auto* const c = static_cast<char*>(out.mutable_raw());
  const auto item = static_cast<int64_t>(item_size(out.dtype()));
  each_product(stack, [&](int64_t i) {
    multiply({.m = stack.m,
              .n = stack.n,
              .k = stack.k,
              .dtype = stack.x.array.dtype(),
              .a = a + stack.x_offset(i),
              .lda = stack.x.ld,
              .ta = stack.x.transposed,
              .b = b + stack.y_offset(i),
              .ldb = stack.y.ld,
              .tb = stack.y.transposed,
              .c_dtype = out.dtype(),
              .c = c + i * stack.m * stack.n * item,
              .ldc = stack.ldc,
              .alpha = static_cast<float>(alpha),
              .beta = static_cast<float>(beta)});
  });
}

}  // namespace

void CpuBackend::gemm(const Array& a, const Array& b, Array& out, double alpha, double beta) {
  if (out.size() == 0) return;
  const Dtype dtype = out.dtype();
  const bool in_place = MatrixStack::holds(out);
  if ((a.dtype() == float16 || a.dtype() == bfloat16) && in_place && !library_is_chosen()) {
    if (a.dtype() == bfloat16 && bfloat_kernels())
      return half_products(MatrixStack(a, b, out), out, alpha, beta, multiply_bfloat);
    const int64_t m = out.shape()[out.ndim() - 2], n = out.shape()[out.ndim() - 1];
    if (std::min(m, n) <= kThinRows && std::max(m, n) >= kManyColumns && out.size() == m * n)
      return half_products(MatrixStack(a, b, out), out, alpha, beta, multiply_thin);
  }
  const Dtype work = compute_type(dtype) == kF32 ? float32 : compute_type(dtype) == kF64 ? float64 : int64;
  if (a.dtype() != work || !in_place) {
    Array wide(out.shape(), work, out.device());
    if (beta != 0) copy_elements(out, wide);
    gemm(a.astype(work, false), b.astype(work, false), wide, alpha, beta);
    return copy_elements(wide, out);
  }
  const MatrixStack stack(a, b, out);
  const auto [m, n, k] = std::array{stack.m, stack.n, stack.k};
  const Matrix &x = stack.x, &y = stack.y;
  // OpenBLAS is used for float64 and for small products.
  const bool small = m * n * k <= kSmall, thin = work == float32 && is_thin(m, n, k, x.transposed, y.transposed);
  if (const auto product = ConstantWeightsScope::product();
      product && work == float32 && !thin && stack.batch == 1 && alpha == 1 && (beta == 0 || beta == 1) &&
      !x.transposed && !stack.gaps && !library_is_chosen() &&
      product(m, n, k, x.array.data<float>(), x.ld, y.array, y.ld, y.transposed, out.mutable_data<float>(), beta == 1))
    return;
  std::optional<OneThreadBlas> one_thread;
  if (!thin && m * n * k > 64 && (work == float64 || (work == float32 && (small || !onednn_sgemm()))))
    one_thread.emplace();
  const auto run = [&]<class T>() {
    const T *pa = x.array.data<T>(), *pb = y.array.data<T>();
    T* pc = out.mutable_data<T>();
    each_product(stack, [&](int64_t i) {
      multiply(Problem<T>{stack.m, stack.n, stack.k, pa + stack.x_offset(i), x.ld, x.transposed, pb + stack.y_offset(i),
                          y.ld, y.transposed, pc + i * stack.m * stack.n, stack.ldc, static_cast<T>(alpha),
                          static_cast<T>(beta)});
    });
  };
  if (work == float32) return run.operator()<float>();
  if (work == float64) return run.operator()<double>();
  run.operator()<int64_t>();
}

}  // namespace chainer::cpu
