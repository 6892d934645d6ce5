// SPDX-License-Identifier: MIT
#include "chainer/inference/calibration.h"

#include <algorithm>
#include <cmath>

namespace chainer::inference {
namespace {

host_kernels::Quantization over(double low, double high) {
  const auto scale = static_cast<float>((high - low) / 255);
  if (!(scale > 0) || !std::isfinite(scale)) return {1, 0, uint8};
  const double zero = std::nearbyint(-low / static_cast<double>(scale));
  return {scale, static_cast<int>(std::clamp(zero, 0.0, 255.0)), uint8};
}

}  // namespace

void Observer::see_range(const Array& x, const std::string& name) {
  const Array dense = x.astype(float32, false).contiguous();
  const float* const p = dense.data<float>();
  for (int64_t i = 0; i < dense.size(); ++i) {
    if (!std::isfinite(p[i]))
      throw ValueError("quantize: a value of '", name, "' is ", p[i], ", expected finite numbers");
    low_ = std::min(low_, p[i]), high_ = std::max(high_, p[i]);
  }
}

void Observer::count(const Array& x) {
  const Array dense = x.astype(float32, false).contiguous();
  const float* const p = dense.data<float>();
  const float part = kParts / std::max(high_ - low_, 1e-30f);
  for (int64_t i = 0; i < dense.size(); ++i)
    ++counts_[static_cast<std::size_t>(std::clamp(static_cast<int>((p[i] - low_) * part), 0, kParts - 1))];
}

// The sum of squared errors with integers over this range.
double Observer::squares(double low, double high) const {
  const host_kernels::Quantization q = over(low, high);
  const double width = (static_cast<double>(high_) - static_cast<double>(low_)) / kParts;
  double sum = 0;
  for (int i = 0; i < kParts; ++i) {
    if (!counts_[static_cast<std::size_t>(i)]) continue;
    const double x = static_cast<double>(low_) + (i + 0.5) * width;
    const double number = std::clamp(std::nearbyint(x / static_cast<double>(q.scale)) + q.zero, 0.0, 255.0);
    const double d = (number - q.zero) * static_cast<double>(q.scale) - x;
    sum += d * d * static_cast<double>(counts_[static_cast<std::size_t>(i)]);
  }
  return sum;
}

host_kernels::Quantization Observer::quantization(const QuantizeOptions& o) const {
  const double low = static_cast<double>(low_), high = static_cast<double>(high_), top = std::max(-low, high);
  const auto within = [&](double t) { return std::pair(std::max(low, -t), std::min(high, t)); };
  double limit = top;
  if (o.calibration == Calibration::percentile) {
    int64_t all = 0;
    for (const int64_t n : counts_) all += n;
    // The smallest limit, in parts of the largest value, that this share of the values does not exceed.
    const double width = (high - low) / kParts;
    for (int step = 1; step < kParts; ++step) {
      const double t = top * step / kParts;
      int64_t inside = 0;
      for (int i = 0; i < kParts; ++i)
        if (std::abs(low + (i + 0.5) * width) <= t) inside += counts_[static_cast<std::size_t>(i)];
      if (static_cast<double>(inside) < o.percentile / 100 * static_cast<double>(all)) continue;
      limit = t;
      break;
    }
  } else if (o.calibration == Calibration::least_squares) {
    double least = squares(low, high);
    for (int step = 99; step >= 20; --step) {
      const auto [a, b] = within(top * step / 100);
      if (const double s = squares(a, b); s < least) least = s, limit = top * step / 100;
    }
  }
  const auto [a, b] = within(limit);
  return over(a, b);
}

}  // namespace chainer::inference
