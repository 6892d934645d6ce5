// SPDX-License-Identifier: MIT
// Mixed precision: the dtypes in which functions compute while config().dtype is mixed16 or mixed_bfloat16.
#pragma once
#include <cstddef>
#include <cstdint>

#include "chainer/autograd/config.h"
#include "chainer/autograd/variable.h"

namespace chainer {

/// How a function treats floating inputs in mixed precision. float64 inputs, and inputs that are not floating, are
/// never cast; a function with such a floating input casts none.
enum class MixedPrecision : uint8_t {
  widest,   ///< inputs of 16 bits are cast to float32 if another input has float32 or the other 16-bit dtype
  narrow,   ///< all inputs are cast to the 16-bit dtype: products of matrices and convolutions
  wide,     ///< all inputs are cast to float32: losses, sums, functions that amplify errors or overflow 16 bits
  any_mix,  ///< the function takes inputs of different dtypes itself
  /// As narrow; but the second input, a weight, may stay float32: the function narrows it (array/narrowed.h), and
  /// computes its gradient in float32.
  narrow_weight,
};

/// Returns v in another floating dtype (defined with F::cast).
Variable cast_variable(const Variable& v, Dtype dtype);

/// Casts the inputs of a function to the dtypes of its policy, with `narrow` as the 16-bit dtype. Empty
/// inputs stay. Returns false, without a change of `out`, if all inputs have these dtypes already.
bool cast_for_mixed_precision(MixedPrecision policy, Dtype narrow, const Variable* const* inputs, std::size_t count,
                              Variables& out);

/// Does the same if mixed precision is on, for functions that are composed of others.
bool cast_in_mixed_precision(MixedPrecision policy, Variables& inputs);

/// Returns true if mixed precision is on and v has 16 bits.
inline bool is_narrow_in_mixed_precision(const Variable& v) {
  return config().dtype.get().products && v && is_floating(v.dtype()) && item_size(v.dtype()) == 2;
}
/// Returns v in float32 if is_narrow_in_mixed_precision(v), else v.
inline Variable widened(const Variable& v) { return is_narrow_in_mixed_precision(v) ? cast_variable(v, float32) : v; }

/// A scope without mixed precision, in which functions compute in the dtypes of their operands: for gradients, and for
/// products within losses and normalizations in float32.
class [[nodiscard]] PlainPrecision {
 public:
  PlainPrecision();

 private:
  std::optional<UsingConfig> plain_;
};

}  // namespace chainer
