// SPDX-License-Identifier: MIT
#include "chainer/datasets/example_random.h"

#include <atomic>

#include "chainer/core/error.h"

namespace chainer::dataset {
namespace {
std::atomic<uint64_t> examples_seed{0};
}

uint64_t ExampleRandom::next() {
  uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
double ExampleRandom::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
int64_t ExampleRandom::below(int64_t n) {
  if (n <= 0) throw ValueError("ExampleRandom: below() needs a positive number, not ", n);
  return static_cast<int64_t>(next() % static_cast<uint64_t>(n));  // the bias is negligible: n is tiny compared to 2^64
}

ExampleRandom& example_random() {
  thread_local ExampleRandom generator(0);
  return generator;
}
void seed_examples(uint64_t seed) { examples_seed = seed; }
void begin_example(int64_t visit) {
  // Two steps of the generator make streams of similar visits and seeds independent.
  const uint64_t key = ExampleRandom(examples_seed.load()).next() ^ static_cast<uint64_t>(visit);
  example_random() = ExampleRandom(ExampleRandom(key).next());
}

}  // namespace chainer::dataset
