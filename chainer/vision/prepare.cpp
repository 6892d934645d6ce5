// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "chainer/array/index.h"
#include "chainer/autograd/config.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/vision/vision.h"

namespace chainer::links {
namespace {

double bicubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

// Resizes the first axis of bytes (n, m). Each result is a weighted mean of the source elements nearby, of more of them
// if the image shrinks. Rounds to bytes as the image library of the reference release does.
Array resize_rows(const Array& source, int64_t length) {
  const int64_t n = source.shape()[0], m = source.shape()[1];
  if (n == length) return source;
  const double scale = static_cast<double>(n) / static_cast<double>(length), wide = std::max(scale, 1.0);
  Array out({length, m}, uint8);
  const auto* from = source.data<uint8_t>();
  auto* to = out.mutable_data<uint8_t>();
  std::vector<double> line(static_cast<std::size_t>(m));
  for (int64_t i = 0; i < length; ++i, to += m) {
    const double center = (static_cast<double>(i) + 0.5) * scale;
    const int64_t first = std::max<int64_t>(0, static_cast<int64_t>(center - 2 * wide + 0.5));
    const int64_t last = std::min<int64_t>(n, static_cast<int64_t>(center + 2 * wide + 0.5));
    const auto weight = [&](int64_t k) { return bicubic((static_cast<double>(k) - center + 0.5) / wide); };
    double total = 0;
    for (int64_t k = first; k < last; ++k) total += weight(k);
    std::fill(line.begin(), line.end(), 0.0);
    for (int64_t k = first; k < last; ++k) {
      const double w = weight(k) / total;
      for (int64_t j = 0; j < m; ++j) line[static_cast<std::size_t>(j)] += w * from[k * m + j];
    }
    for (int64_t j = 0; j < m; ++j)
      to[j] = static_cast<uint8_t>(std::clamp(std::floor(line[static_cast<std::size_t>(j)] + 0.5), 0.0, 255.0));
  }
  return out;
}

// RGB bytes (h, w, 3) of an image in any supported form. Alpha, the last of two or four channels, is dropped.
Array rgb(const Array& image) {
  Array a = image;
  if (a.ndim() == 3) {
    const int64_t first = a.shape()[0], last = a.shape()[2];
    // The reference release accepts 1 or 3 leading channels; images of this library's datasets may have 4.
    if (first == 1 || first == 3 || (first == 4 && (last < 2 || last > 4))) a = a.transpose({1, 2, 0});
    if (a.shape()[2] == 4) a = a[{Slice(), Slice(), Slice(0, 3)}];
    if (a.shape()[2] == 2 || first == 1) a = a[{Slice(), Slice(), 0}];
  }
  if (a.ndim() == 2) a = broadcast_to(expand_dims(a, 2), {a.shape()[0], a.shape()[1], 3});
  if (a.ndim() != 3 || a.shape()[2] != 3 || a.size() == 0)
    throw DimensionError("prepare: an image of shape (h, w), (h, w, 2 to 4) or (1, 3 or 4, h, w) is needed, not ",
                         image.shape());
  return a.astype(uint8).copy();
}

Array prepared(const Array& image, const PerAxis& size, const std::vector<float>& mean) {
  Array a = rgb(image);
  if (size.given()) {
    const Dims s = size.on(2, "prepare: size");  // width first, as in the reference release
    if (s[0] < 1 || s[1] < 1) throw ValueError("prepare: size ", s, " must be positive");
    const int64_t h = a.shape()[0], w = a.shape()[1];
    const Array columns = a.transpose({1, 0, 2}).copy().reshape({w, h * 3});
    a = resize_rows(columns, s[0]).reshape({s[0], h, 3}).transpose({1, 0, 2}).copy();
    a = resize_rows(a.reshape({h, s[0] * 3}), s[1]).reshape({s[1], s[0], 3});
  }
  const Array bgr = flip(a.astype(float32), 2) - array(mean);
  return bgr.transpose({2, 0, 1}).copy().astype(config().dtype, false);
}

}  // namespace

Array vgg::prepare(const Array& image, const PerAxis& size) {
  return prepared(image, size, {103.939f, 116.779f, 123.68f});
}
Array googlenet::prepare(const Array& image, const PerAxis& size) { return prepared(image, size, {104, 117, 123}); }
Array resnet::prepare(const Array& image, const PerAxis& size) {
  return prepared(image, size, {103.063f, 115.903f, 123.152f});
}

}  // namespace chainer::links
