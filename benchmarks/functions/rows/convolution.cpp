// SPDX-License-Identifier: MIT
#include "../table.h"

namespace bench {
namespace {
/// An image, filters of `ksize` with equal numbers of input and output channels, and a bias.
Inputs with_filters(const Shape& image, int64_t ksize) {
  const int64_t c = image[1];
  Shape filters{c, c};
  for (int i = 2; i < image.ndim(); ++i) filters.push_back(ksize);
  return {normal(image), normal(filters), normal({c})};
}
Inputs signals(const Size& s) { return with_filters(s.signals, 3); }
Inputs images(const Size& s) { return with_filters(s.images, 3); }
Inputs volumes(const Size& s) { return with_filters(s.volumes, 3); }
}  // namespace

void convolution(Table& t) {
  t.add(
      "convolution_1d", "F.conv1d(*x, padding=1)",
      [](const Variables& x) { return F::convolution_1d(x[0], x[1], x[2], {.pad = 1}); }, signals);
  t.add(
      "convolution_2d", "F.conv2d(*x, padding=1)",
      [](const Variables& x) { return F::convolution_2d(x[0], x[1], x[2], {.pad = 1}); }, images);
  t.add(
       "convolution_3d", "F.conv3d(*x, padding=1)",
       [](const Variables& x) { return F::convolution_3d(x[0], x[1], x[2], {.pad = 1}); }, volumes)
      .up_to(1);
  t.add(
      "convolution_nd", "F.conv2d(*x, stride=2)",
      [](const Variables& x) { return F::convolution_nd(x[0], x[1], x[2], {.stride = 2}); }, images);
  t.add(
      "deconvolution_1d", "F.conv_transpose1d(*x, padding=1)",
      [](const Variables& x) { return F::deconvolution_1d(x[0], x[1], x[2], {.pad = 1}); }, signals);
  t.add(
      "deconvolution_2d", "F.conv_transpose2d(*x, padding=1)",
      [](const Variables& x) { return F::deconvolution_2d(x[0], x[1], x[2], {.pad = 1}); }, images);
  t.add(
       "deconvolution_3d", "F.conv_transpose3d(*x, padding=1)",
       [](const Variables& x) { return F::deconvolution_3d(x[0], x[1], x[2], {.pad = 1}); }, volumes)
      .up_to(1);
  t.add(
       "deconvolution_nd", "F.conv_transpose2d(*x, stride=2)",
       [](const Variables& x) { return F::deconvolution_nd(x[0], x[1], x[2], {.stride = 2}); }, images)
      .up_to(1);
  t.add(
      "dilated_convolution_2d", "F.conv2d(*x, padding=2, dilation=2)",
      [](const Variables& x) { return F::dilated_convolution_2d(x[0], x[1], x[2], {.pad = 2, .dilate = 2}); }, images);
  t.add(
      "depthwise_convolution_2d", "F.conv2d(x[0], x[1].transpose(0, 1), padding=1, groups=x[0].shape[1])",
      [](const Variables& x) { return F::depthwise_convolution_2d(x[0], x[1], {}, {.pad = 1}); },
      [](const Size& s) {
        return Inputs{normal(s.images), normal({1, s.channels(), 3, 3})};
      });
  t.add(
       "deformable_convolution_2d_sampler", "deformable_convolution(*x)",
       [](const Variables& x) { return F::deformable_convolution_2d_sampler(x[0], x[1], x[2], {}, {.pad = 1}); },
       [](const Size& s) {
         const Shape& i = s.images;
         return Inputs{normal(i), uniform(-1, 1, {i[0], 18, i[2], i[3]}), normal({i[1], i[1], 3, 3})};
       })
      .up_to(1);
  t.add(
       "local_convolution_2d", "local_convolution(*x)",
       [](const Variables& x) { return F::local_convolution_2d(x[0], x[1]); },
       [](const Size& s) {
         const int64_t c = s.channels(), h = s.images[2] - 2, w = s.images[3] - 2;
         return Inputs{normal(s.images), normal({4, h, w, c, 3, 3})};
       })
      .up_to(1);
  t.add(
      "shift", "shift(x[0])", [](const Variables& x) { return F::shift(x[0], 3); },
      [](const Size& s) {
        return Inputs{normal({s.images[0], s.n == 64 ? 9 : s.channels(), s.images[2], s.images[3]})};
      });
}

}  // namespace bench
