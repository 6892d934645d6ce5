// SPDX-License-Identifier: MIT
#include "chainer/datasets/transforms.h"

#include <algorithm>
#include <cmath>

#include "chainer/array/backend.h"
#include "chainer/array/index.h"
#include "chainer/datasets/example_random.h"
#include "chainer/functions/array.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::transforms {
namespace {

void check_picture(const char* operation, const Array& image) {
  if (image.ndim() != 3)
    throw ValueError(operation, ": a picture (channels, height, width) is expected, not shape ", image.shape());
}

// The weights of the inputs first ... first + weights.size() - 1 for one output pixel.
struct Window {
  int64_t first;
  std::vector<double> weights;
};

// Weights of a triangle around the centre of the output pixel, with the pixel's width but at least that of two inputs.
std::vector<Window> windows(int64_t in, int64_t out) {
  const double scale = static_cast<double>(in) / static_cast<double>(out), support = std::max(1.0, scale);
  std::vector<Window> all;
  for (int64_t o = 0; o < out; ++o) {
    const double centre = (static_cast<double>(o) + 0.5) * scale;
    const int64_t first = std::max<int64_t>(0, static_cast<int64_t>(std::floor(centre - support + 0.5)));
    const int64_t end = std::min(in, static_cast<int64_t>(std::floor(centre + support + 0.5)));
    Window w{first, {}};
    double sum = 0;
    for (int64_t i = first; i < end; ++i) {
      w.weights.push_back(std::max(0.0, 1 - std::abs((static_cast<double>(i) + 0.5 - centre) / support)));
      sum += w.weights.back();
    }
    for (double& v : w.weights) v /= sum;
    all.push_back(std::move(w));
  }
  return all;
}

// Resizes the middle axis of (planes, rows, columns).
template <class T>
Array filter_rows(const Array& image, int64_t height) {
  constexpr int64_t kColumns = 32;  // sums that stay in registers
  const Array whole = image.contiguous();
  const int64_t planes = image.shape()[0], h = image.shape()[1], w = image.shape()[2];
  Array out({planes, height, w}, image.dtype());  // first, since it fails for heights that are too large
  const std::vector<Window> rows = windows(h, height);
  const T* x = whole.data<T>();
  T* y = out.mutable_data<T>();
  for (int64_t p = 0; p < planes; ++p, x += h * w)
    for (const Window& window : rows) {
      const T* from = x + window.first * w;
      for (int64_t begin = 0; begin < w; begin += kColumns) {
        const int64_t n = std::min(kColumns, w - begin);
        T sums[kColumns] = {};
        for (std::size_t k = 0; k < window.weights.size(); ++k) {
          const T weight = static_cast<T>(window.weights[k]);
          const T* row = from + static_cast<int64_t>(k) * w + begin;
          if (n == kColumns)  // a constant number, for vectors
            for (int64_t c = 0; c < kColumns; ++c) sums[c] += weight * row[c];
          else
            for (int64_t c = 0; c < n; ++c) sums[c] += weight * row[c];
        }
        y = std::copy(sums, sums + n, y);
      }
    }
  return out;
}
template <class T>
Array filtered(const Array& image, int64_t height, int64_t width) {
  const Array turned = filter_rows<T>(image, height).transpose({0, 2, 1});
  return filter_rows<T>(turned, width).transpose({0, 2, 1}).contiguous();
}

}  // namespace

Array crop(const Array& image, int64_t top, int64_t left, int64_t height, int64_t width) {
  check_picture("crop", image);
  const int64_t h = image.shape()[1], w = image.shape()[2];
  if (top < 0 || left < 0 || height <= 0 || width <= 0 || height > h - top || width > w - left)
    throw ValueError("crop: ", height, " x ", width, " at (", top, ", ", left, ") does not fit into a picture of ", h,
                     " x ", w);
  return image[{ellipsis, Slice(top, top + height), Slice(left, left + width)}];
}
Array center_crop(const Array& image, int64_t height, int64_t width) {
  check_picture("center_crop", image);
  return crop(image, (image.shape()[1] - height) / 2, (image.shape()[2] - width) / 2, height, width);
}
Array random_crop(const Array& image, int64_t height, int64_t width) {
  check_picture("random_crop", image);
  auto& random = dataset::example_random();
  const int64_t top = random.below(std::max<int64_t>(1, image.shape()[1] - height + 1));
  const int64_t left = random.below(std::max<int64_t>(1, image.shape()[2] - width + 1));
  return crop(image, top, left, height, width);
}
Array random_shift(const Array& image, int64_t pad) {
  check_picture("random_shift", image);
  if (pad < 0) throw ValueError("random_shift: pad must not be negative, got ", pad);
  const Shape& s = image.shape();
  Array wide = zeros({s[0], s[1] + 2 * pad, s[2] + 2 * pad}, image.dtype());
  wide.set({ellipsis, Slice(pad, pad + s[1]), Slice(pad, pad + s[2])}, image);
  return random_crop(wide, s[1], s[2]);
}
Array flip(const Array& image) {
  check_picture("flip", image);
  return chainer::flip(image, 2);
}
Array random_flip(const Array& image) {
  check_picture("random_flip", image);
  return dataset::example_random().below(2) ? flip(image) : image;
}

Array resize(const Array& image, int64_t height, int64_t width, const ResizeOptions& o) {
  check_picture("resize", image);
  if (height <= 0 || width <= 0 || image.size() == 0)
    throw ValueError("resize: ", image.shape(), " cannot become ", height, " x ", width);
  const Array x = image.astype(image.dtype() == float64 ? float64 : float32, false);
  if (!o.antialias) return F::resize_images(expand_dims(x, 0), {height, width}).array()[0];
  return x.dtype() == float64 ? filtered<double>(x, height, width) : filtered<float>(x, height, width);
}
Array scale(const Array& image, int64_t shorter, const ResizeOptions& o) {
  check_picture("scale", image);
  const int64_t h = image.shape()[1], w = image.shape()[2], least = std::min(h, w);
  int64_t longer = 0;
  if (shorter <= 0 || least == 0 || __builtin_mul_overflow(std::max(h, w), shorter, &longer))
    throw ValueError("scale: ", image.shape(), " cannot have a side of ", shorter);
  longer /= least;
  return h < w ? resize(image, shorter, longer, o) : resize(image, longer, shorter, o);
}

Array subtract_mean(const Array& image, const Array& mean) {
  check_picture("subtract_mean", image);
  if (mean.ndim() == 1) return image - mean.reshape({-1, 1, 1});
  return image - mean;
}

Array compute_mean(const AnyDataset& dataset) {
  if (dataset.size() == 0) throw ValueError("compute_mean: the dataset has no examples");
  Array sum;
  for (int64_t i = 0; i < dataset.size(); ++i) {
    const Array x = dataset[i][0].astype(float64);
    if (!sum)
      sum = x;
    else if (x.shape() != sum.shape())
      throw ValueError("compute_mean: example ", i, " has shape ", x.shape(), ", the others ", sum.shape());
    else
      sum += x;
    (void)sum.raw();  // evaluate now, so that pictures are not kept
  }
  sum /= static_cast<double>(dataset.size());
  return sum.astype(float32);
}

}  // namespace chainer::transforms
