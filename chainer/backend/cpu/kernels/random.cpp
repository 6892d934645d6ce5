// SPDX-License-Identifier: MIT
// The counter-based generator Philox 4x32-10 (Salmon et al., SC 2011). Compiled once per instruction set.
#include "chainer/backend/cpu/kernels/fill.h"

namespace {

void philox(uint32_t* out, uint64_t seed, uint64_t block, int64_t n) {
  CHAINER_IVDEP
  for (int64_t i = 0; i < n / 4; ++i) {
    const uint64_t counter = block + static_cast<uint64_t>(i);
    uint32_t c0 = static_cast<uint32_t>(counter), c1 = static_cast<uint32_t>(counter >> 32), c2 = 0, c3 = 0;
    uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round) {
      const uint64_t p0 = uint64_t(0xD2511F53u) * c0, p1 = uint64_t(0xCD9E8D57u) * c2;
      const uint32_t n0 = static_cast<uint32_t>(p1 >> 32) ^ c1 ^ k0, n2 = static_cast<uint32_t>(p0 >> 32) ^ c3 ^ k1;
      c1 = static_cast<uint32_t>(p1);
      c3 = static_cast<uint32_t>(p0);
      c0 = n0;
      c2 = n2;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    out[4 * i] = c0;
    out[4 * i + 1] = c1;
    out[4 * i + 2] = c2;
    out[4 * i + 3] = c3;
  }
}

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_random(Kernels& k) { k.philox = philox; }
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
