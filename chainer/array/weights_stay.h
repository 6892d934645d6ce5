// A promise of who computes with the same weights again and again.
#pragma once

namespace chainer {

/// While it lives, products of matrices on this thread may keep the second matrix in another form (as long as nobody
/// writes to it), for the next call will want it, too. Results may differ in their last bits from those without: the
/// order of additions is another one.
class WeightsStay {
 public:
  WeightsStay() : before_(here_) { here_ = true; }
  ~WeightsStay() { here_ = before_; }
  WeightsStay(const WeightsStay&) = delete;
  WeightsStay& operator=(const WeightsStay&) = delete;

  /// Whether one lives on this thread.
  static bool here() { return here_; }

 private:
  static inline constinit thread_local bool here_ = false;
  const bool before_;
};

}  // namespace chainer
