// SPDX-License-Identifier: MIT
// A scope for code that computes with the same weights repeatedly.
#pragma once
#include <cstdint>

namespace chainer {

class Array;

/// Scope asserting that weights are constant: during its lifetime, matrix products on this thread may cache the second
/// matrix in a packed form, as long as it is not written to. Results may differ in their last bits from those outside
/// the scope, because the order of additions differs.
class ConstantWeightsScope {
 public:
  /// out = a b, or out + a b with `add`, in float32. a has m rows of k elements with row stride a_step. b has n columns
  /// and row stride b_step; if b_transposed, its columns have that stride. out has no gaps. Returns false, without an
  /// effect, if the packed form does not pay for these sizes.
  using Product = bool(int64_t m, int64_t n, int64_t k, const float* a, int64_t a_step, const Array& b, int64_t b_step,
                       bool b_transposed, float* out, bool add);

  /// (Defined with the CPU backend's product, which is linked only into programs that use this scope.)
  [[nodiscard]] ConstantWeightsScope();
  ~ConstantWeightsScope() { product_ = before_; }
  ConstantWeightsScope(const ConstantWeightsScope&) = delete;
  ConstantWeightsScope& operator=(const ConstantWeightsScope&) = delete;

  /// Returns the product to use inside a scope on this thread; nullptr outside.
  static Product* product() { return product_; }

 private:
  static inline constinit thread_local Product* product_ = nullptr;
  Product* const before_;
};

}  // namespace chainer
