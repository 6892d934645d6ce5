// SPDX-License-Identifier: MIT
// Ranges of activations.
#pragma once
#include <vector>

#include "chainer/array/host_kernels/quantized.h"
#include "chainer/inference/quantize.h"
#include "chainer/core/other_options.h"

namespace chainer::inference {

/// The values of one array over all batches: first their range, then how often they are in each part of it.
class Observer {
 public:
  /// Throws ValueError, naming the array, for values that are not finite.
  void see_range(const Array& x, const std::string& name);
  void count(const Array& x);
  /// Returns integers without a sign, whose zero point stands for exactly 0.
  host_kernels::Quantization quantization(const QuantizeOptions& o) const;
  CHAINER_OTHER_OPTIONS_METHOD(quantization, ".calibration, .percentile, .leave, .dynamic_batch");

 private:
  static constexpr int kParts = 2048;
  double squares(double low, double high) const;
  float low_ = 0, high_ = 0;
  std::vector<int64_t> counts_ = std::vector<int64_t>(kParts);
};

}  // namespace chainer::inference
