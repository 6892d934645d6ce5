// The order in which the emulated device goes through threads and blocks.
#pragma once
#include <cstdint>
#include <numeric>

#include "chainer/backend/cuda/emulation/emulation.h"

namespace chainer::cuda::emulation {

/// What set_order() said last.
struct Ordering {
  Order order = Order::forward;
  uint32_t seed = 1;
};
Ordering ordering();

/// The i-th of n in that order. Shuffled: multiples of a number that has no factor in common with n.
class Permutation {
 public:
  Permutation(uint32_t n, uint32_t salt) : n_(n), order_(ordering().order) {
    if (order_ != Order::shuffled || n < 3) return;
    const uint32_t seed = ordering().seed;
    factor_ = (seed * 2654435761u + salt) % n | 1;
    while (std::gcd(factor_, n) != 1) factor_ += 2;
    shift_ = (seed ^ salt) % n;
  }
  uint32_t operator[](uint32_t i) const {
    if (order_ == Order::forward) return i;
    if (order_ == Order::backward) return n_ - 1 - i;
    return static_cast<uint32_t>((uint64_t(i) * factor_ + shift_) % n_);
  }

 private:
  uint32_t n_, factor_ = 1, shift_ = 0;
  Order order_;
};

}  // namespace chainer::cuda::emulation
