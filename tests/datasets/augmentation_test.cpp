// SPDX-License-Identifier: MIT
// Random preparation of pictures: its results, and that they do not depend on the number of workers.
#include <chainer/chainer.h>

#include <algorithm>
#include <cmath>

#include "folder.h"
#include "test.h"

using namespace chainer;

namespace {

Array picture(int64_t channels, int64_t h, int64_t w) { return random::RandomState(4).rand({channels, h, w}, float32); }

}  // namespace

TEST(rotation_by_quarters_is_exact_and_goes_counter_clockwise) {
  const Array x = picture(2, 5, 5);
  EXPECT_CLOSE(transforms::rotate(x, 0), x, {.atol = 0, .rtol = 0});
  // Counter-clockwise: the right column becomes the upper row.
  const Array quarter = flip(x.transpose({0, 2, 1}), 1);
  EXPECT_CLOSE(transforms::rotate(x, 90), quarter, {.atol = 0, .rtol = 0});
  EXPECT_CLOSE(quarter[{0, 0}], x[{0, ellipsis, 4}], {.atol = 0, .rtol = 0});
  EXPECT_CLOSE(transforms::rotate(x, 180), flip(flip(x, 1), 2), {.atol = 0, .rtol = 0});
  EXPECT_CLOSE(transforms::rotate(transforms::rotate(x, 90), -90), x, {.atol = 0, .rtol = 0});
  EXPECT_CLOSE(transforms::rotate(x, 450), quarter, {.atol = 0, .rtol = 0});
  // A constant picture stays constant away from the border, where no outside pixels are used.
  const Array turned = transforms::rotate(ones({1, 9, 9}), 30, 1);
  EXPECT_CLOSE(turned, ones({1, 9, 9}));
  EXPECT_CLOSE(transforms::rotate(ones({1, 9, 9}), 45)[{0, 0, 0}], zeros({}));
  EXPECT_EQ(transforms::rotate(zeros({1, 3, 4}, uint8), 10).dtype(), float32);
  EXPECT_THROW(ValueError, "rotate: a picture", transforms::rotate(zeros({3, 3}), 1));
  EXPECT_THROW(ValueError, "degrees must be 0 or more, not -1", transforms::random_rotation(x, -1));
}

TEST(resized_crops_have_the_size_and_lie_inside) {
  dataset::begin_example(1);
  Array x = zeros({1, 20, 30});
  x.set({0}, arange(30).astype(float32) + arange(20).astype(float32).reshape({20, 1}) * 100.f);
  for (int i = 0; i < 50; ++i) {
    const Array y = transforms::random_resized_crop(x, 8, 6);
    EXPECT_EQ(y.shape(), (Shape{1, 8, 6}));
    EXPECT(min(y).item<double>() >= 0 && max(y).item<double>() <= 1929);
  }
  // The whole picture if area and aspect require it; the centered part if no random one fits.
  EXPECT_CLOSE(transforms::random_resized_crop(x, 20, 30, {.min_area = 1, .min_aspect = 1.5, .max_aspect = 1.5}), x);
  EXPECT_CLOSE(transforms::random_resized_crop(x, 20, 20, {.min_area = 1, .min_aspect = 1, .max_aspect = 1}),
               transforms::center_crop(x, 20, 20));
  EXPECT_THROW(ValueError, "positive bounds in order", transforms::random_resized_crop(x, 8, 8, {.min_area = 2}));
  EXPECT_THROW(ValueError, "random_resized_crop: a picture", transforms::random_resized_crop(zeros({3, 3}), 2, 2));
}

TEST(color_jitter_changes_what_it_says) {
  dataset::begin_example(2);
  const Array x = picture(3, 6, 7);
  EXPECT_CLOSE(transforms::color_jitter(x, {}), x, {.atol = 0, .rtol = 0});
  // With brightness alone all pixels get the same factor.
  const Array dim = transforms::color_jitter(x * 0.4f, {.brightness = 0.5});
  const Array factors = dim / (x * 0.4f);
  EXPECT_CLOSE(factors, full(x.shape(), factors[{0, 0, 0}].item<float>()), {.atol = 1e-5, .rtol = 1e-5});
  // Changing the hue keeps the largest and the smallest channel, and leaves grey unchanged.
  const Array turned = transforms::color_jitter(x, {.hue = 0.5});
  EXPECT_CLOSE(max(turned, 0), max(x, 0), {.atol = 1e-6, .rtol = 1e-6});
  EXPECT_CLOSE(min(turned, 0), min(x, 0), {.atol = 1e-6, .rtol = 1e-6});
  EXPECT(max(absolute(turned - x)).item<double>() > 0.01);
  const Array grey = broadcast_to(picture(1, 4, 4), {3, 4, 4});
  EXPECT_CLOSE(transforms::color_jitter(grey, {.saturation = 1, .hue = 0.5}), grey, {.atol = 1e-6, .rtol = 1e-6});
  // Contrast keeps the mean grey where no value is clipped.
  const Array middle = x * 0.2f + 0.4f;
  const auto grey_mean = [](const Array& a) { return mean(a[0] * 0.299 + a[1] * 0.587 + a[2] * 0.114).item<double>(); };
  EXPECT(std::abs(grey_mean(transforms::color_jitter(middle, {.contrast = 0.9})) - grey_mean(middle)) < 1e-6);
  const Array bytes = transforms::color_jitter((x * 255.f).astype(uint8), {0.4, 0.4, 0.4, 0.1}, 255);
  EXPECT(bytes.dtype() == float32 && max(bytes).item<double>() <= 255 && min(bytes).item<double>() >= 0);
  EXPECT_EQ(transforms::color_jitter(picture(1, 2, 2), {.brightness = 1}).shape(), (Shape{1, 2, 2}));
  EXPECT_THROW(ValueError, "a hue of at most 0.5", transforms::color_jitter(x, {.hue = 0.6}));
  EXPECT_THROW(ValueError, "1 or 3 channels", transforms::color_jitter(zeros({4, 2, 2}), {}));
}

TEST(mixup_mixes_pictures_as_labels) {
  const Array x = eye(5).reshape({5, 1, 5}), t = array({0, 1, 2, 3, 4});
  const datasets::MixupDataset mixed(datasets::TupleDataset(x, t), 5, 0.4);
  double sum = 0, squares = 0;
  constexpr int n = 4000;
  for (int k = 0; k < n; ++k) {
    dataset::begin_example(k);
    const Example e = mixed[k % 5];
    EXPECT_CLOSE(e[0][0], e[1], {.atol = 1e-6, .rtol = 1e-6});
    EXPECT(std::abs(chainer::sum(e[1]).item<double>() - 1) < 1e-6);
    const double l = e[1][{k % 5}].item<double>();
    sum += l, squares += (1 - l) * l;
  }
  // The partner is the example itself in a fifth of the cases. Beta(a, a): mean of l (1 - l) is a / (2 (2 a + 1)).
  EXPECT(std::abs(sum / n - (0.8 * 0.5 + 0.2)) < 0.02);
  EXPECT(std::abs(squares / n - 0.8 * 0.4 / (2 * 1.8)) < 0.01);
  EXPECT_CLOSE(datasets::MixupDataset(datasets::TupleDataset(x, t), 5, 0)[2][1], eye(5)[2], {.atol = 0, .rtol = 0});
  EXPECT_THROW(IndexError, "label 4 of example 4 is out of range for 4 classes",
               datasets::MixupDataset(datasets::TupleDataset(x, t), 4, 0)[4]);
  EXPECT_THROW(ValueError, "alpha must be 0 or more, not -1",
               datasets::MixupDataset(datasets::TupleDataset(x, t), 5, -1));
}

TEST(random_preparation_is_the_same_for_any_number_of_workers) {
  const datasets::TupleDataset pictures(random::RandomState(1).rand({12, 3, 9, 8}, float32),
                                        arange(12).astype(int32) % 3);
  const datasets::MixupDataset varied(
      datasets::TransformDataset(pictures,
                                 [](const Example& e) -> Example {
                                   Array p = transforms::random_resized_crop(e[0], 6, 6);
                                   p = transforms::random_rotation(p, 20);
                                   return {transforms::color_jitter(p, {0.4, 0.4, 0.4, 0.1}), e[1]};
                                 }),
      3);
  iterators::SerialIterator one(varied, 5, {.shuffle = false});
  iterators::MultithreadIterator many(varied, 5, {.shuffle = false, .n_threads = 3});
  Array first;
  for (int k = 0; k < 6; ++k) {
    const auto [x, t] = concat_examples<2>(one.next());
    const auto [y, u] = concat_examples<2>(many.next());
    EXPECT_CLOSE(x, y, {.atol = 0, .rtol = 0});
    EXPECT_CLOSE(t, u, {.atol = 0, .rtol = 0});
    if (k == 0) first = x;
    if (k == 5) EXPECT(max(absolute(x - first)).item<double>() > 1e-3);
  }
}

TEST(grids_of_pictures) {
  Array x = zeros({3, 2, 2}, uint8);
  for (int i = 0; i < 3; ++i) x.set({i}, 10 * (i + 1));
  const Array g = dataset::make_grid(x, 2, 1);
  EXPECT_EQ(g.shape(), (Shape{1, 5, 5}));
  EXPECT_EQ(g[{0, 0, 0}].item<int>(), 10);
  EXPECT_EQ(g[{0, 0, 2}].item<int>(), 255);
  EXPECT_EQ(g[{0, 1, 4}].item<int>(), 20);
  EXPECT_EQ(g[{0, 4, 1}].item<int>(), 30);
  EXPECT_EQ(g[{0, 4, 4}].item<int>(), 255);
  EXPECT_EQ(dataset::make_grid(zeros({6, 3, 8, 8}), 3, 1).shape(), (Shape{3, 17, 26}));
  EXPECT_THROW(ValueError, "make_grid: columns -1", dataset::make_grid(x, -1));
  if (dataset::has_png()) {
    const test::Folder folder;
    dataset::write_grid(folder.path / "g.png", x, 2, 1);
    EXPECT_CLOSE(dataset::read_image(folder.path / "g.png"), g, {.atol = 0, .rtol = 0});
  }
}
