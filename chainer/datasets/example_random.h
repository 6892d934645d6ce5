// Random numbers for the preparation of examples, the same for any number of workers.
#pragma once
#include <cstdint>

namespace chainer::dataset {

/// A small generator (SplitMix64) for what varies from visit to visit of an example.
class ExampleRandom {
 public:
  explicit ExampleRandom(uint64_t state) : state_(state) {}
  uint64_t next();
  /// 0 <= v < n.
  int64_t below(int64_t n);
  /// 0 <= v < 1.
  double uniform();

 private:
  uint64_t state_;
};
/// The generator of the example that this thread is reading. Iterators start it anew for each example, from
/// seed_examples() and the number of the visit, so that random crops are the same for any number of workers and after
/// a resumed snapshot. Outside of iterators it just goes on.
ExampleRandom& example_random();
/// The seed of all examples' generators; 0 at first.
void seed_examples(uint64_t seed);
/// Starts this thread's generator for a visit: epoch * size + position.
void begin_example(int64_t visit);

}  // namespace chainer::dataset
