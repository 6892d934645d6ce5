// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>

#include "chainer/array/host.h"
#include "chainer/datasets/transforms.h"
#include "chainer/routines/creation.h"

namespace chainer::transforms {
namespace {

using Pixel = std::array<double, 3>;

double grey_of(const Pixel& p) { return 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2]; }

// Rotates the hue of a pixel with values from 0 to 1 by `turn` of the full circle.
Pixel with_hue(const Pixel& p, double turn) {
  const double most = std::max({p[0], p[1], p[2]}), least = std::min({p[0], p[1], p[2]}), chroma = most - least;
  if (chroma <= 0) return p;
  double hue = most == p[0]   ? (p[1] - p[2]) / chroma
               : most == p[1] ? 2 + (p[2] - p[0]) / chroma
                              : 4 + (p[0] - p[1]) / chroma;  // in sixths of the circle
  hue += 6 * turn;
  Pixel out;
  for (std::size_t k = 0; k < 3; ++k) {
    // The distance of the hue from that of this channel, in sixths of the circle.
    double d = std::abs(std::remainder(hue - 2 * static_cast<double>(k), 6));
    out[k] = least + chroma * std::clamp(2 - d, 0.0, 1.0);
  }
  return out;
}

}  // namespace

Array color_jitter(const Array& image, const ColorJitterOptions& o, double max) {
  if (image.ndim() != 3 || (image.shape()[0] != 1 && image.shape()[0] != 3))
    throw ValueError("color_jitter: a picture (1 or 3 channels, height, width) is expected, not shape ", image.shape());
  if (!(o.brightness >= 0 && o.contrast >= 0 && o.saturation >= 0 && o.hue >= 0 && o.hue <= 0.5) || !(max > 0))
    throw ValueError("color_jitter: options of 0 or more, a hue of at most 0.5 and a positive max are expected, but ",
                     "brightness is ", o.brightness, ", contrast ", o.contrast, ", saturation ", o.saturation, ", hue ",
                     o.hue, " and max ", max);
  dataset::ExampleRandom& random = dataset::example_random();
  const auto factor = [&](double v) {
    return std::max(0.0, 1 - v) + (1 + v - std::max(0.0, 1 - v)) * random.uniform();
  };
  const double brightness = factor(o.brightness), contrast = factor(o.contrast), saturation = factor(o.saturation);
  const double turn = o.hue * (2 * random.uniform() - 1);
  std::array<int, 4> order{0, 1, 2, 3};
  for (int k = 3; k > 0; --k)
    std::swap(order[static_cast<std::size_t>(k)], order[static_cast<std::size_t>(random.below(k + 1))]);

  const bool wide = image.dtype() == float64;
  const bool colours = image.shape()[0] == 3;
  const int64_t n = image.shape()[1] * image.shape()[2];
  Array out = to_host(image).astype(float64).contiguous();
  double* const v = out.mutable_data<double>();
  const auto pixel = [&](int64_t i) {
    return colours ? Pixel{v[i] / max, v[n + i] / max, v[2 * n + i] / max} : Pixel{v[i] / max, v[i] / max, v[i] / max};
  };
  const auto store = [&](int64_t i, const Pixel& p) {
    for (int64_t k = 0; k < (colours ? 3 : 1); ++k)
      v[k * n + i] = std::clamp(p[static_cast<std::size_t>(k)], 0.0, 1.0) * max;
  };
  // weight * p + (1 - weight) * other for each channel
  const auto blend = [](const Pixel& p, double other, double weight) {
    return Pixel{other + weight * (p[0] - other), other + weight * (p[1] - other), other + weight * (p[2] - other)};
  };
  for (const int step : order) {
    if (step == 0 && o.brightness > 0)
      for (int64_t i = 0; i < n; ++i) store(i, blend(pixel(i), 0, brightness));
    if (step == 1 && o.contrast > 0 && n > 0) {
      double sum = 0;
      for (int64_t i = 0; i < n; ++i) sum += grey_of(pixel(i));
      for (int64_t i = 0; i < n; ++i) store(i, blend(pixel(i), sum / static_cast<double>(n), contrast));
    }
    if (step == 2 && o.saturation > 0 && colours)
      for (int64_t i = 0; i < n; ++i) store(i, blend(pixel(i), grey_of(pixel(i)), saturation));
    if (step == 3 && o.hue > 0 && colours)
      for (int64_t i = 0; i < n; ++i) store(i, with_hue(pixel(i), turn));
  }
  return wide ? out : out.astype(float32);
}

}  // namespace chainer::transforms
