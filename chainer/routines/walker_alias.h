// Drawing integers with given probabilities in constant time (manual: "utils").
#pragma once
#include <vector>

#include "chainer/routines/random.h"

namespace chainer::utils {

/// Walker's alias method: sample() draws i with probability probs[i] / sum(probs). The table, built in float32, is
/// that of release 5.4.0, so that one seed gives the same samples.
class WalkerAlias {
 public:
  /// Probabilities in any scale; ValueError if one is negative or not finite or their sum is not positive.
  explicit WalkerAlias(const std::vector<double>& probs);
  /// An int32 array of the shape, drawn from the global random state.
  Array sample(const Shape& shape) const;
  Array operator()(const Shape& shape) const { return sample(shape); }
  const std::vector<float>& threshold() const { return threshold_; }
  const std::vector<int32_t>& values() const { return values_; }

 private:
  std::vector<float> threshold_;
  std::vector<int32_t> values_;  // two for each threshold: below it, and above
};

}  // namespace chainer::utils
