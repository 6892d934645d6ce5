// SPDX-License-Identifier: MIT
// The pieces that attention forward and backward share.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "chainer/array/host_kernels/attention.h"
#include "chainer/backend/cpu/kernels/attention_table.h"
#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/backend/cpu/loops/scratch_buffer.h"
#include "chainer/backend/cpu/products/panel_product.h"

namespace chainer::cpu {

/// The lengths of blocks. The number of keys, and in gradients of queries, decides the order of additions.
inline constexpr int64_t kQueryBlock = 128, kKeyBlock = 128;

/// Scratch memory for n elements.
template <class T>
class Scratch {
 public:
  explicit Scratch(int64_t n) : floats_(n * static_cast<int64_t>(sizeof(T) / sizeof(float))) {}
  T* data() const { return reinterpret_cast<T*>(floats_.data()); }

 private:
  ScratchBuffer floats_;
};

/// The second matrix of products, rearranged for its kernel. Each sum is computed in the order of the inner axis.
template <class T>
class PackedMatrix {
 public:
  PackedMatrix(int64_t most_columns, int64_t most_rows) : memory_(most_columns * most_rows) {}
  /// Takes rows x columns numbers; the rows, or the columns if it is transposed, have distance `step`.
  void pack(const T* b, int64_t step, bool transposed, int64_t columns, int64_t rows) {
    columns_ = columns, rows_ = rows;
    for (int64_t l = 0; l < rows; ++l)
      for (int64_t j = 0; j < columns; ++j)
        memory_.data()[l * columns + j] = transposed ? b[j * step + l] : b[l * step + j];
  }
  /// out = a b, or out + a b with `add`, where element (r, l) of a is a[r * a_row + l * a_inner].
  void multiply(int64_t m, const T* a, int64_t a_row, int64_t a_inner, T* out, int64_t out_step, bool add) const {
    for (int64_t r = 0; r < m; ++r) {
      T* const to = out + r * out_step;
      if (!add) std::fill_n(to, columns_, T(0));
      for (int64_t l = 0; l < rows_; ++l)
        kernels().add_scaled[kF64](to, a[r * a_row + l * a_inner], memory_.data() + l * columns_, columns_);
    }
  }

 private:
  Scratch<T> memory_;
  int64_t columns_ = 0, rows_ = 0;
};
template <>
class PackedMatrix<float> {
 public:
  PackedMatrix(int64_t most_columns, int64_t most_rows) : memory_(Panels(most_columns, most_rows).size()) {}
  void pack(const float* b, int64_t step, bool transposed, int64_t columns, int64_t rows) {
    panels_ = Panels(columns, rows), rows_ = rows;
    pack_panels(panels_, b, step, transposed, columns, rows, memory_.data());
  }
  void multiply(int64_t m, const float* a, int64_t a_row, int64_t a_inner, float* out, int64_t out_step,
                bool add) const {
    multiply_panels(panels_, m, rows_, a, a_row, a_inner, memory_.data(), out, out_step, add);
  }

 private:
  ScratchBuffer memory_;
  Panels panels_{1, 1};
  int64_t rows_ = 0;
};

/// The last two axes of an array as matrices.
template <class T>
struct Matrices {
  explicit Matrices(const Array& a)
      : data(a.data<T>()), row(a.strides()[a.ndim() - 2]), column(a.strides()[a.ndim() - 1]), begins{0} {
    for (int d = a.ndim() - 3; d >= 0; --d) {
      std::vector<int64_t> all;
      for (int64_t i = 0; i < a.shape()[d]; ++i)
        for (int64_t b : begins) all.push_back(i * a.strides()[d] + b);
      begins = std::move(all);
    }
  }
  const T* at(int64_t matrix, int64_t r) const { return data + begins[static_cast<std::size_t>(matrix)] + r * row; }
  const T* data;
  int64_t row, column;
  std::vector<int64_t> begins;
};

/// The parameters of a call without its arrays, which a recorded step must not keep.
struct AttentionCall {
  explicit AttentionCall(const host_kernels::Attention& a)
      : scale(a.scale), dropout(a.dropout), causal(a.causal), masked(bool(a.mask)), drops(bool(a.seed)) {}
  double scale, dropout;
  bool causal, masked, drops;
};

/// The lengths of a call, and which keys each query attends to.
struct AttentionSizes {
  AttentionSizes(bool causal_, const Array& q, const Array& k, const Array& v)
      : heads(q.size() / (q.shape(-1) * q.shape(-2))),
        share(q.shape(-3) / k.shape(-3)),
        queries(q.shape(-2)),
        keys(k.shape(-2)),
        d(q.shape(-1)),
        e(v.shape(-1)),
        causal(causal_) {}
  /// Returns how many keys from `first` on a query attends to, at most n.
  int64_t seen(int64_t query, int64_t first, int64_t n) const {
    return causal ? std::clamp<int64_t>(query + keys - queries + 1 - first, 0, n) : n;
  }
  int64_t heads, share, queries, keys, d, e;  // heads of all examples; `share` consecutive ones have the same keys
  bool causal;
};

/// What is added to the scores.
template <class T>
class MaskRows {
 public:
  explicit MaskRows(const Array& mask) {
    if (!mask) return;
    if (mask.dtype() == Dtype::bool_)
      truths_.emplace(mask);
    else
      numbers_.emplace(mask);
  }
  /// Returns n elements of a row from column `first` on, written to `memory` unless they are contiguous; or nullptr.
  const T* row(int64_t head, int64_t query, int64_t first, int64_t n, T* memory) const {
    if (truths_) {
      const bool* from = truths_->at(head, query) + first * truths_->column;
      for (int64_t i = 0; i < n; ++i) memory[i] = from[i * truths_->column] ? T(0) : -static_cast<T>(HUGE_VAL);
      return memory;
    }
    if (!numbers_) return nullptr;
    const T* from = numbers_->at(head, query) + first * numbers_->column;
    if (numbers_->column == 1) return from;
    for (int64_t i = 0; i < n; ++i) memory[i] = from[i * numbers_->column];
    return memory;
  }

 private:
  std::optional<Matrices<bool>> truths_;
  std::optional<Matrices<T>> numbers_;
};

/// Drops probabilities. Element j of a row is decided by word j of the row's part of a stream.
class Dropping {
 public:
  Dropping(double ratio, const Array& seed, int64_t keys)
      : on(bool(seed)),
        words_of_row_((keys + 3) / 4),
        limit_(static_cast<uint64_t>(ratio * 0x1p32)),
        kept_(1 / (1 - ratio)) {
    if (!on) return;
    const double* s = seed.data<double>();
    seed_ = static_cast<uint64_t>(s[0]) << 32 | static_cast<uint64_t>(s[1]);
  }
  /// to = p times the factors of a row from column `first` on, which is a multiple of four; n is at most kKeyBlock.
  template <class T>
  void apply(int64_t row, int64_t first, int64_t n, const T* p, T* to) const {
    alignas(64) uint32_t words[kKeyBlock];
    kernels().philox(words, seed_, static_cast<uint64_t>(row * words_of_row_ + first / 4), (n + 3) / 4 * 4);
    const T kept = static_cast<T>(kept_);
    for (int64_t i = 0; i < n; ++i) to[i] = words[i] < limit_ ? T(0) : p[i] * kept;
  }
  bool on;

 private:
  int64_t words_of_row_;
  uint64_t limit_, seed_ = 0;
  double kept_;
};

template <class T>
constexpr Compute compute_of() {
  return sizeof(T) == sizeof(float) ? kF32 : kF64;
}

}  // namespace chainer::cpu
