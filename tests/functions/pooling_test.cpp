// SPDX-License-Identifier: MIT
// Pooling: memory order, NaN, indices, errors. Values are tested by the table of functions.
#include <chainer/chainer.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "chainer/core/parallel.h"
#include <chainer/testing/testing.h>
#include "c_order.h"
#include "test.h"

using namespace chainer;

namespace {

Array last(const Shape& nhwc) {
  random::RandomState r(3);
  return r.randn(nhwc).astype(float32).transpose({0, 3, 1, 2});
}
bool is_channels_last(const Array& a) { return a.transpose({0, 2, 3, 1}).is_contiguous(); }

}  // namespace

TEST(pooling_keeps_the_order_of_channels) {
  const Array x = last({2, 9, 8, 33});
  const auto each = {std::function([](const Variable& v) { return F::max_pooling_2d(v, 3, {.stride = 2, .pad = 1}); }),
                     std::function([](const Variable& v) { return F::average_pooling_2d(v, 3, {.stride = 2}); }),
                     std::function([](const Variable& v) { return F::unpooling_2d(v, 2, {.stride = 1}); })};
  for (const auto& f : each) {
    Variable a(x), b(c_order(x));
    const Variable ya = f(a), yb = f(b);
    EXPECT(is_channels_last(ya.array()));
    EXPECT(yb.array().is_contiguous());
    testing::assert_allclose(ya.array(), yb.array(), {.atol = 1e-6, .rtol = 1e-6});
    const Array gy = last({ya.shape()[0], ya.shape()[2], ya.shape()[3], 33});
    F::sum(ya * gy).backward();
    F::sum(yb * gy).backward();
    EXPECT(is_channels_last(a.grad()));
    testing::assert_allclose(a.grad(), b.grad(), {.atol = 1e-5, .rtol = 1e-5});
  }
}

TEST(pooling_does_not_depend_on_threads) {
  const Array x = last({4, 40, 40, 24});
  Array first;
  for (int threads : {1, 2, 3}) {
    cpu::set_thread_count(threads);
    Variable v(x);
    F::sum(F::square(F::max_pooling_2d(v, 3, {.stride = 2}))).backward();
    if (!first) first = v.grad().copy();
    EXPECT(all(equal(first, v.grad())).item<bool>());
  }
  cpu::set_thread_count(0);
}

TEST(max_pooling_shows_nan_and_its_place) {
  for (const bool channels : {false, true}) {
    Array x = zeros({1, 2, 2, 4});
    x.set({0, 0, 0, 1}, NAN);
    x.set({0, 0, 1, 1}, NAN);
    x.set({0, 1, 1, 3}, 5.f);
    if (channels) x = x.transpose({0, 2, 3, 1}).contiguous().transpose({0, 3, 1, 2});
    Array at;
    const Array y = F::max_pooling_2d(x, 2, {.return_indices = &at}).array();
    EXPECT(at.dtype() == int64);
    EXPECT((at.to_vector<int64_t>() == std::vector<int64_t>{1, 0, 0, 3}));
    const auto values = y.to_vector<float>();
    EXPECT(values[0] != values[0] && values[1] == 0 && values[2] == 0 && values[3] == 5);
  }
}

namespace {

// Whole numbers with many ties, infinities, zeros of both signs and NaN.
template <class T>
Array with_ties(random::RandomState& draw, const Shape& shape) {
  Array x(shape, sizeof(T) == 4 ? float32 : float64);
  const std::vector<int64_t> numbers = draw.randint(-6, 7, {shape.product()}).to_vector<int64_t>();
  T* const to = x.mutable_data<T>();
  for (std::size_t i = 0; i < numbers.size(); ++i)
    to[i] = numbers[i] == 6                 ? std::numeric_limits<T>::infinity()
            : numbers[i] == -6              ? -std::numeric_limits<T>::infinity()
            : numbers[i] == 0 && i % 3 == 0 ? -T(0)
            : numbers[i] == 5 && i % 4 == 0 ? std::numeric_limits<T>::quiet_NaN()
                                            : static_cast<T>(numbers[i]);
  return x;
}

// Compares max pooling of one geometry with loops over the windows: values, places, and the gradient.
template <class T>
bool pools_as_loops(random::RandomState& draw, const Shape& shape, int64_t k, int64_t stride, int64_t pad,
                    bool cover_all, bool channels_last) {
  const Array x = with_ties<T>(draw, shape);
  const int64_t height = shape[2], width = shape[3];
  Array in = x;
  if (channels_last) in = x.transpose({0, 2, 3, 1}).contiguous().transpose({0, 3, 1, 2});
  Array places;
  Variable v(in);
  const Variable y =
      F::max_pooling_2d(v, k, {.stride = stride, .pad = pad, .cover_all = cover_all, .return_indices = &places});
  const Shape out = y.shape();
  Array gy = draw.randint(1, 9, out).astype(x.dtype());
  if (channels_last) gy = gy.transpose({0, 2, 3, 1}).contiguous().transpose({0, 3, 1, 2});
  const Array gx = grad({y}, {v}, {.grad_outputs = {gy}})[0].array().contiguous();
  const Array plain_y = y.array().contiguous(), plain_places = places.contiguous(), plain_gy = gy.contiguous();
  std::vector<T> expected(static_cast<std::size_t>(x.size()));
  const T *from = x.data<T>(), *result = plain_y.data<T>(), *g = plain_gy.data<T>();
  for (int64_t plane = 0, o = 0; plane < shape[0] * shape[1]; ++plane)
    for (int64_t r = 0; r < out[2]; ++r)
      for (int64_t c = 0; c < out[3]; ++c, ++o) {
        T best = -std::numeric_limits<T>::infinity();
        int64_t place = -1, where = 0;
        for (int64_t i = 0; i < k; ++i)
          for (int64_t j = 0; j < k; ++j) {
            const int64_t a = r * stride - pad + i, b = c * stride - pad + j;
            if (a < 0 || a >= height || b < 0 || b >= width) continue;
            const int64_t at = (plane * height + a) * width + b;
            if (place >= 0 && (best != best || from[at] <= best)) continue;
            best = from[at], place = i * k + j, where = at;
          }
        if (std::memcmp(&best, result + o, sizeof best) != 0 && !(best != best && result[o] != result[o])) return false;
        if (place < 0) continue;  // a window in the padding
        if (plain_places.data<int64_t>()[o] != place) return false;
        expected[static_cast<std::size_t>(where)] += g[o];
      }
  return std::memcmp(expected.data(), gx.raw(), expected.size() * sizeof(T)) == 0;
}

}  // namespace

TEST(max_pooling_of_all_sizes_is_that_of_loops) {
  random::RandomState draw(7);
  int64_t cases = 0;
  for (int64_t width = 1; width <= 40; ++width)
    for (const int64_t k : {1, 2, 3, 4})
      for (const int64_t stride : {1, 2, 3, 4})
        for (const int64_t pad : {0, 1}) {
          if (pad >= k || width + 2 * pad < k) continue;
          const Shape shape{1 + width % 2, 1 + (width + k) % 7, std::max(k, width % 9), width};
          const bool cover_all = (width + stride) % 2, channels_last = (width + k + pad) % 3 == 0;
          const bool same = width % 4 ? pools_as_loops<float>(draw, shape, k, stride, pad, cover_all, channels_last)
                                      : pools_as_loops<double>(draw, shape, k, stride, pad, cover_all, channels_last);
          if (!same)
            test::fail(__FILE__, __LINE__,
                       text("max pooling of ", shape, " by ", k, ", stride ", stride, ", pad ", pad));
          ++cases;
        }
  EXPECT(cases > 1000);
}

// The manual's example: each element that max pooling chose returns to its place.
TEST(upsampling_undoes_max_pooling) {
  const Array x = arange(1, 37).reshape({1, 1, 6, 6}).astype(float32);
  Array indexes;
  const Variable pooled = F::max_pooling_2d(x, 2, {.stride = 2, .return_indices = &indexes});
  const Array up = F::upsampling_2d(pooled, indexes, 2, {.stride = 2, .outsize = {6, 6}}).array();
  for (int64_t i = 0; i < 6; ++i)
    for (int64_t j = 0; j < 6; ++j) {
      const float expected = i % 2 && j % 2 ? x[{0, 0, i, j}].item<float>() : 0;
      EXPECT_EQ((up[{0, 0, i, j}].item<float>()), expected);
    }
  EXPECT_THROW(IndexError, "index 4 is outside a window of (2, 2), 0 to 3", F::upsampling_2d(pooled, indexes + 1, 2));
  EXPECT_THROW(DimensionError, "indexes must be integers of x's shape (1, 1, 3, 3)",
               F::upsampling_2d(pooled, indexes.astype(float32), 2));
}

TEST(a_window_beyond_the_image_is_minus_infinity) {
  const Array y = F::max_pooling_1d(ones({1, 1, 1}), 1, {.stride = 1, .pad = 1}).array();
  EXPECT((y.to_vector<float>() == std::vector<float>{-INFINITY, 1, -INFINITY}));
  const Array huge = F::max_pooling_2d(arange(4).reshape({1, 1, 2, 2}).astype(float32), {30000, 40000}).array();
  EXPECT((huge.to_vector<float>() == std::vector<float>{3}));
}

TEST(pooling_errors_name_the_sizes) {
  const Array x = ones({1, 2, 3, 4});
  EXPECT_THROW(DimensionError,
               "average_pooling_2d: no window fits: input (3, 4), ksize (5, 2), stride (5, 2), pad (0, 1)",
               F::average_pooling_2d(x, {5, 2}, {.pad = {0, 1}}));
  EXPECT_THROW(ValueError, "max_pooling_2d: ksize (2, 2) and stride (0, 0) must be positive, pad (0, 0) not negative",
               F::max_pooling_2d(x, 2, {.stride = 0}));
  EXPECT_THROW(ValueError, "max_pooling_2d: ksize: one number or 2 are needed, not 3", F::max_pooling_2d(x, {1, 2, 3}));
  EXPECT_THROW(InvalidType, "x.ndim() == 5", F::max_pooling_3d(x, 2));
  EXPECT_THROW(InvalidType, "x.dtype().kind() == 'f'", F::average_pooling_nd(x.astype(int32), 2));
  EXPECT_THROW(DimensionError, "does not give the input (3, 4)", F::unpooling_2d(x, 2, {.outsize = {9, 8}}));
  EXPECT_THROW(ValueError, "pad_value must be 0 or nullopt, not 1", F::average_pooling_nd(x, 2, {.pad_value = 1}));
  EXPECT_THROW(ValueError, "region 0 refers to image 3",
               F::roi_pooling_2d(x, array({{3.f, 0.f, 0.f, 1.f, 1.f}}), 1, 1, 1));
  EXPECT_THROW(IndexError, "region 0 refers to image 1, x has 1 images",
               F::roi_average_align_2d(x, array({{0.f, 0.f, 1.f, 1.f}}), array({1}), 1, 1));
  const Array box = array({{0.f, 0.f, 1.f, 1.f}}), far = array({{0.f, 0.f, 1.f, INFINITY}}), first = array({0});
  EXPECT_THROW(ValueError, "roi_max_pooling_2d: outsize (0, 2) and spatial_scale 1 must be positive",
               F::roi_max_pooling_2d(x, box, first, {0, 2}, 1));
  EXPECT_THROW(ValueError, "roi_average_pooling_2d: region 0 has a coordinate that is not finite: inf",
               F::roi_average_pooling_2d(x, far, first, 1, 1));
  EXPECT_THROW(ValueError, "roi_max_align_2d: sampling_ratio must be positive, not (2, 0)",
               F::roi_max_align_2d(x, box, first, 1, 1, {.sampling_ratio = IntPair(2, 0)}));
  EXPECT_THROW(IndexError, "roi_max_align_2d: region 0 refers to image -1, x has 1 images",
               F::roi_max_align_2d(x, box, array({-1}), 1, 1));
  EXPECT_THROW(InvalidType, "rois.shape()[1] == 4", F::roi_max_pooling_2d(x, ones({1, 5}), first, 1, 1));
  EXPECT_THROW(ValueError, "pyramid_height must be from 1 to 30, not 0", F::spatial_pyramid_pooling_2d(x, 0));
}

TEST(regions_outside_of_an_image_are_zero_and_a_nan_is_the_largest) {
  const Array x = array({{1.f, NAN, 5.f}, {2.f, 3.f, 4.f}}).reshape({1, 1, 2, 3}), first = array({0});
  const Array outside = array({{7.f, 7.f, 9.f, 9.f}}), whole = array({{0.f, 0.f, 2.f, 3.f}});
  EXPECT_EQ(F::roi_max_pooling_2d(x, outside, first, 1, 1).array().item<float>(), 0.f);
  EXPECT_EQ(F::roi_average_pooling_2d(x, outside, first, 1, 1).array().item<float>(), 0.f);
  EXPECT_EQ(F::roi_max_align_2d(x, outside, first, 1, 1).array().item<float>(), 0.f);
  EXPECT(std::isnan(F::roi_max_pooling_2d(x, whole, first, 1, 1).array().item<float>()));
  EXPECT(std::isnan(F::roi_max_align_2d(x, whole, first, 1, 1).array().item<float>()));
  // A region of a million pixels has the points inside of the image only.
  const Array huge = array({{-1e6f, -1e6f, 1e6f, 1e6f}});
  EXPECT_EQ(F::roi_max_align_2d(ones({1, 1, 2, 3}), huge, first, 1, 1).array().item<float>(), 1.f);
  EXPECT_EQ(F::roi_max_align_2d(ones({0, 1, 2, 3}), zeros({0, 4}), zeros({0}, int64), 2, 1).shape(),
            (Shape{0, 1, 2, 2}));
}

TEST(any_number_of_channels_is_pooled_alike_in_both_orders) {
  random::RandomState draw(5);
  for (const Dtype d : {float32, float64})
    for (const int64_t c : {2, 3, 5, 6, 7, 9, 15, 17, 33})
      for (const int64_t stride : {1, 2, 3})
        for (const int64_t pad : {0, 1}) {
          const Array x = draw.normal(0, 1, {3, c, 7, 8}, d);
          const Array last = x.transpose({0, 2, 3, 1}).copy().transpose({0, 3, 1, 2});
          const auto run = [&](const Array& images, bool average) {
            const Variable v(images);
            const Variable y = average ? F::average_pooling_2d(v, 2, {.stride = stride, .pad = pad})
                                       : F::max_pooling_2d(v, 2, {.stride = stride, .pad = pad});
            F::sum(y * Variable(random::RandomState(6).normal(0, 1, y.shape(), d), false)).backward();
            return Arrays{y.array(), v.grad()};
          };
          for (const bool average : {false, true}) {
            const Arrays a = run(x, average), b = run(last, average);
            for (std::size_t i = 0; i < 2; ++i) EXPECT_CLOSE(a[i], b[i], {.atol = 1e-6, .rtol = 1e-6});
          }
        }
}
