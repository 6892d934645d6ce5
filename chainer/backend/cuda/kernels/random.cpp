// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/random.h"

#include <cmath>

namespace chainer::cuda {
namespace {

// Philox 4x32-10 (Salmon et al., SC 2011), as on the host: the four words of one block of the stream.
DEVICE void philox(uint64_t seed, uint64_t counter, uint32_t* words) {
  uint32_t c0 = uint32_t(counter), c1 = uint32_t(counter >> 32), c2 = 0, c3 = 0;
  uint32_t k0 = uint32_t(seed), k1 = uint32_t(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t(0xD2511F53u) * c0, p1 = uint64_t(0xCD9E8D57u) * c2;
    const uint32_t n0 = uint32_t(p1 >> 32) ^ c1 ^ k0, n2 = uint32_t(p0 >> 32) ^ c3 ^ k1;
    c1 = uint32_t(p1), c3 = uint32_t(p0), c0 = n0, c2 = n2;
    k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
  }
  words[0] = c0, words[1] = c1, words[2] = c2, words[3] = c3;
}

// Replaces two words by two normal numbers with mean 0.
DEVICE void box_muller(uint32_t first, uint32_t second, double deviation, double* numbers) {
  const double r = deviation * sqrt(-2 * log((first + 0.5) * 0x1p-32));
  const double angle = 2 * 3.141592653589793238 * 0x1p-32 * second;
  numbers[0] = r * cos(angle), numbers[1] = r * sin(angle);
}

template <class T>
DEVICE void random(const RandomArgs& a, int bytes) {
  const T last = static_cast<T>(a.last), value = static_cast<T>(a.b);
  for (int64_t block = first_element(); block * 4 < a.size; block += element_step()) {
    uint32_t words[4];
    philox(a.seed, a.counter + uint64_t(block), words);
    double normal[4];
    if (a.kind == RandomArgs::Kind::normal)
      for (int k = 0; k < 4; k += 2) box_muller(words[k], words[k + 1], a.b, normal + k);
    for (int k = 0; k < 4; ++k) {
      const int64_t i = block * 4 + k;
      if (i >= a.size) break;
      T v;
      if (a.kind == RandomArgs::Kind::bernoulli) {
        v = words[k] < a.limit ? value : T(0);
      } else if (a.kind == RandomArgs::Kind::normal) {
        v = static_cast<T>(a.a + normal[k]);
      } else {
        v = static_cast<T>(a.a + a.scale * words[k]);
        if (v > last) v = last;
      }
      store(a.out + i * bytes, a.type, v);
    }
  }
}

}  // namespace

KERNEL(random_float16, RandomArgs) { random<float>(a, 2); }
KERNEL(random_float32, RandomArgs) { random<float>(a, 4); }
KERNEL(random_float64, RandomArgs) { random<double>(a, 8); }

}  // namespace chainer::cuda
