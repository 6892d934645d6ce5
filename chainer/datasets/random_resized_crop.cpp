// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "chainer/datasets/transforms.h"

namespace chainer::transforms {

Array random_resized_crop(const Array& image, int64_t height, int64_t width, const RandomResizedCropOptions& o) {
  if (image.ndim() != 3)
    throw ValueError("random_resized_crop: a picture (channels, height, width) is expected, not shape ", image.shape());
  if (!(0 < o.min_area && o.min_area <= o.max_area) || !(0 < o.min_aspect && o.min_aspect <= o.max_aspect))
    throw ValueError("random_resized_crop: positive bounds in order are expected, but the area is from ", o.min_area,
                     " to ", o.max_area, " and the aspect from ", o.min_aspect, " to ", o.max_aspect);
  dataset::ExampleRandom& random = dataset::example_random();
  const int64_t h = image.shape()[1], w = image.shape()[2];
  const auto between = [&](double a, double b) { return a + (b - a) * random.uniform(); };
  const auto part = [&](int64_t top, int64_t left, int64_t ph, int64_t pw) {
    return resize(crop(image, top, left, ph, pw), height, width, {.antialias = o.antialias});
  };
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double area = between(o.min_area, o.max_area) * static_cast<double>(h * w);
    const double aspect = std::exp(between(std::log(o.min_aspect), std::log(o.max_aspect)));
    const auto pw = static_cast<int64_t>(std::lround(std::sqrt(area * aspect)));
    const auto ph = static_cast<int64_t>(std::lround(std::sqrt(area / aspect)));
    if (pw < 1 || ph < 1 || pw > w || ph > h) continue;
    const int64_t top = random.below(h - ph + 1), left = random.below(w - pw + 1);
    return part(top, left, ph, pw);
  }
  // If no random part fits: the largest centered part with an allowed aspect ratio.
  const double aspect = std::clamp(static_cast<double>(w) / static_cast<double>(h), o.min_aspect, o.max_aspect);
  const int64_t pw = std::clamp<int64_t>(std::lround(static_cast<double>(h) * aspect), 1, w);
  const int64_t ph = std::clamp<int64_t>(std::lround(static_cast<double>(w) / aspect), 1, h);
  return part((h - ph) / 2, (w - pw) / 2, ph, pw);
}

}  // namespace chainer::transforms
