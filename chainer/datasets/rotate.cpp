// SPDX-License-Identifier: MIT
#include <cmath>
#include <numbers>

#include "chainer/array/host.h"
#include "chainer/datasets/transforms.h"
#include "chainer/routines/creation.h"

namespace chainer::transforms {
namespace {

// Sine and cosine of an angle in degrees, exact at multiples of 90.
void sine_cosine(double degrees, double& s, double& c) {
  const double turn = std::remainder(degrees, 360);
  if (std::remainder(turn, 90) == 0) {
    const int quarter = static_cast<int>(std::lround(turn / 90)) & 3;
    s = quarter == 1 ? 1 : quarter == 3 ? -1 : 0;
    c = quarter == 0 ? 1 : quarter == 2 ? -1 : 0;
  } else {
    s = std::sin(turn * std::numbers::pi / 180);
    c = std::cos(turn * std::numbers::pi / 180);
  }
}

template <class T>
Array turned(const Array& image, double degrees, double fill) {
  const int64_t channels = image.shape()[0], h = image.shape()[1], w = image.shape()[2];
  Array out(image.shape(), image.dtype());
  const T* const x = image.data<T>();
  T* const y = out.mutable_data<T>();
  double s, c;
  sine_cosine(degrees, s, c);
  const double mid_y = static_cast<double>(h - 1) / 2, mid_x = static_cast<double>(w - 1) / 2;
  for (int64_t i = 0; i < h; ++i)
    for (int64_t j = 0; j < w; ++j) {
      // The source position of the pixel, by the inverse rotation. Rows count downwards.
      const double dy = static_cast<double>(i) - mid_y, dx = static_cast<double>(j) - mid_x;
      const double from_y = mid_y + c * dy + s * dx, from_x = mid_x - s * dy + c * dx;
      const auto top = static_cast<int64_t>(std::floor(from_y)), left = static_cast<int64_t>(std::floor(from_x));
      const double below = from_y - static_cast<double>(top), right = from_x - static_cast<double>(left);
      for (int64_t k = 0; k < channels; ++k) {
        double sum = 0;
        for (int64_t a = 0; a < 2; ++a)
          for (int64_t b = 0; b < 2; ++b) {
            const double weight = (a ? below : 1 - below) * (b ? right : 1 - right);
            if (weight == 0) continue;
            const int64_t r = top + a, q = left + b;
            const bool inside = r >= 0 && r < h && q >= 0 && q < w;
            sum += weight * (inside ? static_cast<double>(x[(k * h + r) * w + q]) : fill);
          }
        y[(k * h + i) * w + j] = static_cast<T>(sum);
      }
    }
  return out;
}

}  // namespace

Array rotate(const Array& image, double degrees, double fill) {
  if (image.ndim() != 3)
    throw ValueError("rotate: a picture (channels, height, width) is expected, not shape ", image.shape());
  if (!std::isfinite(degrees)) throw ValueError("rotate: the angle must be finite, not ", degrees);
  if (image.dtype() == float64) return turned<double>(to_host(image).contiguous(), degrees, fill);
  return turned<float>(to_host(image).astype(float32, false).contiguous(), degrees, fill);
}

Array random_rotation(const Array& image, double degrees, double fill) {
  if (!(degrees >= 0) || !std::isfinite(degrees))
    throw ValueError("random_rotation: degrees must be 0 or more, not ", degrees);
  return rotate(image, degrees * (2 * dataset::example_random().uniform() - 1), fill);
}

}  // namespace chainer::transforms
