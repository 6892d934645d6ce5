// SPDX-License-Identifier: MIT
// Sampling of integers with given probabilities in constant time (manual: "utils").
#pragma once
#include <vector>

#include "chainer/routines/random.h"

namespace chainer::utils {

/// Walker's alias method: sample() draws i with probability probs[i] / sum(probs). The table, computed in float32,
/// equals that of Chainer 5.4.0, so that a seed gives the same samples.
class WalkerAlias {
 public:
  /// Probabilities need not be normalised. Throws ValueError if one is negative or not finite, or if the sum is not
  /// positive.
  explicit WalkerAlias(const std::vector<double>& probs);
  /// Returns an int32 array of a shape, drawn by the global generator.
  Array sample(const Shape& shape) const;
  Array operator()(const Shape& shape) const { return sample(shape); }
  const std::vector<float>& threshold() const { return threshold_; }
  const std::vector<int32_t>& values() const { return values_; }

 private:
  std::vector<float> threshold_;
  std::vector<int32_t> values_;  // two per threshold: the value below it, and the one above
};

}  // namespace chainer::utils
