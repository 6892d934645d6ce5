// SPDX-License-Identifier: MIT
// Random numbers for the preparation of examples, the same for any number of workers.
#pragma once
#include <cstdint>

namespace chainer::dataset {

/// A small generator (SplitMix64) for random transformations, which differ at each visit of an example.
class ExampleRandom {
 public:
  explicit ExampleRandom(uint64_t state) : state_(state) {}
  uint64_t next();
  /// Returns a number 0 <= v < n. Throws ValueError unless n > 0.
  int64_t below(int64_t n);
  /// Returns a number 0 <= v < 1.
  double uniform();

 private:
  uint64_t state_;
};
/// Returns the generator of the example that this thread reads. Iterators seed it for each example, from
/// seed_examples() and the number of the visit, so random crops are the same for any number of workers and after
/// resuming a snapshot. Outside of iterators the generator continues.
ExampleRandom& example_random();
/// Sets the seed of the generators of all examples, initially 0.
void seed_examples(uint64_t seed);
/// Seeds this thread's generator for a visit: epoch * size + position.
void begin_example(int64_t visit);

}  // namespace chainer::dataset
