// SPDX-License-Identifier: MIT
// The order in which the emulated device runs threads and blocks.
#pragma once
#include <cstdint>
#include <numeric>

#include "chainer/backend/cuda/emulation/emulation.h"

namespace chainer::cuda::emulation {

/// The arguments of the last set_order().
struct Ordering {
  Order order = Order::forward;
  uint32_t seed = 1;
};
Ordering ordering();

/// Maps i to the i-th of n in that order. The shuffled order uses multiples of a number coprime to n.
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
