// A promise of who computes with the same weights again and again.
#pragma once
#include <cstdint>

namespace chainer {

class Array;

/// While it lives, products of matrices on this thread may keep the second matrix in another form (as long as nobody
/// writes to it), for the next call will want it, too. Results may differ in their last bits from those without: the
/// order of additions is another one.
class WeightsStay {
 public:
  /// out = a b, or out + a b with `add`, of float32: a has m rows of k elements at a distance of a_step, b (n columns)
  /// has its rows, or its columns if it is transposed, at a distance of b_step, out has no gaps. False, and nothing
  /// done, where the lengths do not pay.
  using Product = bool(int64_t m, int64_t n, int64_t k, const float* a, int64_t a_step, const Array& b, int64_t b_step,
                       bool b_transposed, float* out, bool add);

  /// (Defined beside the product of the host's backend, which only programs with such promises are linked with.)
  WeightsStay();
  ~WeightsStay() { product_ = before_; }
  WeightsStay(const WeightsStay&) = delete;
  WeightsStay& operator=(const WeightsStay&) = delete;

  /// The product to ask while one lives on this thread; nullptr otherwise.
  static Product* product() { return product_; }

 private:
  static inline constinit thread_local Product* product_ = nullptr;
  Product* const before_;
};

}  // namespace chainer
