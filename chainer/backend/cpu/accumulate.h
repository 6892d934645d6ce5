// How blocks become sums, products and extremes, for reductions at once and inside programs. Whatever the thread
// count, elements are added in the same order: floats in runs of kRow (rows) or groups of kGroup (columns), the block
// sums in double, doubles with a compensated sum.
#pragma once
#include "chainer/backend/cpu/cpu_backend.h"

namespace chainer::cpu {

/// Long rows are reduced in parts of this length, combined in order.
inline constexpr int64_t kPart = 16 * kBlock;

/// One result of a reduction along the last axis.
struct Accumulator {
  double d = 0, compensation = 0;  ///< sums of doubles carry a compensation (Neumaier)
  int64_t i = 0;

  static Accumulator start(Reduce op);
  void add(Reduce op, Compute c, double v, int64_t w);
  /// n elements of the compute type.
  void add_block(const Kernels& k, Reduce op, Compute c, const void* block, int64_t n);
  /// The result of a part, after those of the parts before it.
  void add_part(Reduce op, Compute c, const Accumulator& part);
  void store(const Kernels& k, Compute c, Dtype dtype, void* to) const;
};

/// At most kBlock neighbouring results of a reduction along an axis before the last: rows come one after the other.
class ColumnAccumulator {
 public:
  void add_row(const Kernels& k, Reduce op, Compute c, const void* row, int64_t n, int64_t r, int64_t rows);
  void store(const Kernels& k, Reduce op, Compute c, Dtype dtype, void* to, int64_t stride, int64_t n) const;

 private:
  static constexpr int64_t kGroup = 16;
  static bool wide(Reduce op, Compute c) { return c == kF32 && op == Reduce::sum; }  // groups in float, sums in double
  alignas(64) char acc_[kBlock * 8];
  alignas(64) char sums_[kBlock * 8];
};

}  // namespace chainer::cpu
