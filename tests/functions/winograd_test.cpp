// SPDX-License-Identifier: MIT
// Filters of 3x3, and of 4x4 with stride 2, by Winograd's algorithm where the library uses it, compared with float64 by
// patches and products.
#include <chainer/chainer.h>

#include <cstring>

#include "../array/bits.h"
#include "chainer/array/operations/convolution.h"
#include "chainer/backend/cpu/convolution/winograd.h"
#include "chainer/backend/cpu/kernels/bfloat_table.h"
#include "chainer/core/parallel.h"
#include "test.h"

using namespace chainer;

namespace {

struct Case {
  Shape x, W;
  int64_t pad;
  bool winograd;  // true if the library uses it for these lengths
  int64_t stride = 1;
};

// The largest difference, relative to the largest element.
double distance(const Array& a, const Array& exact) {
  return (max(abs(a.astype(float64) - exact)) / max(abs(exact))).item<double>();
}

// The result and gradients of a convolution. W and x are used twice, so their gradients are accumulated.
Arrays results_of(const Array& x, const Array& W, const Array& b, const Case& c) {
  Variable vx(x), vW(W), vb(b);
  const Variable y = F::convolution_2d(vx, vW, vb, {.stride = c.stride, .pad = c.pad});
  const Array g = random::RandomState(4).normal(0, 1, y.shape(), float32).astype(x.dtype());
  F::sum(y * g + F::convolution_2d(vx, vW, {}, {.stride = c.stride, .pad = c.pad}) * g).backward();
  return Arrays{y.array(), vx.grad(), vW.grad(), vb.grad()};
}

// Blocks of tiles, panels of channels and the runs of gradient sums are full or not; images of one tile and more;
// strips that threads share, and blocks that each thread computes alone.
const Case kCases[] = {
    {{8, 32, 16, 16}, {48, 32, 3, 3}, 1, true},      {{3, 64, 31, 27}, {32, 64, 3, 3}, 1, true},
    {{9, 32, 18, 14}, {32, 32, 3, 3}, 0, true},      {{64, 64, 4, 4}, {64, 64, 3, 3}, 1, true},
    {{1, 80, 16, 16}, {112, 80, 3, 3}, 1, true},     {{17, 160, 7, 7}, {32, 160, 3, 3}, 1, true},
    {{5, 256, 9, 17}, {512, 256, 3, 3}, 0, true},    {{70, 32, 16, 12}, {48, 32, 3, 3}, 1, true},
    {{1, 32, 12, 16}, {32, 32, 3, 3}, 1, false},     {{64, 32, 5, 5}, {32, 32, 3, 3}, 1, false},
    {{8, 24, 16, 16}, {48, 24, 3, 3}, 1, true},      {{8, 32, 16, 16}, {48, 32, 3, 3}, 2, false},
    {{20, 512, 4, 4}, {512, 512, 3, 3}, 1, true},    {{16, 32, 16, 16}, {48, 32, 4, 4}, 1, true, 2},
    {{3, 80, 32, 29}, {64, 80, 4, 4}, 1, true, 2},   {{50, 64, 8, 8}, {128, 64, 4, 4}, 1, true, 2},
    {{70, 32, 33, 18}, {32, 32, 4, 4}, 0, true, 2},  {{2, 256, 18, 17}, {32, 256, 4, 4}, 1, false, 2},
    {{4, 256, 16, 17}, {32, 256, 4, 4}, 1, true, 2}, {{8, 32, 16, 16}, {32, 32, 3, 3}, 1, false, 2},
    {{8, 32, 16, 16}, {32, 32, 4, 4}, 2, false, 2},  {{8, 19, 16, 16}, {48, 19, 3, 3}, 1, false},
    {{3, 65, 31, 27}, {20, 65, 3, 3}, 1, true},      {{9, 48, 18, 14}, {33, 48, 3, 3}, 0, true},
    {{3, 65, 32, 29}, {80, 65, 4, 4}, 1, true, 2},   {{8, 63, 16, 16}, {48, 63, 4, 4}, 1, false, 2}};

}  // namespace

TEST(winograd_agrees_with_float64) {
  random::RandomState draw(3);
  for (const Case& c : kCases) {
    const Array x = draw.normal(0, 1, c.x, float32), W = draw.normal(0, 0.1, c.W, float32),
                b = draw.normal(0, 1, {c.W[0]}, float32);
    const Arrays ours = results_of(x, W, b, c),
                 exact = results_of(x.astype(float64), W.astype(float64), b.astype(float64), c);
    const ConvolutionPlan plan{{c.stride, c.stride}, {c.pad, c.pad}, {1, 1}};
    if (!std::getenv("CHAINER_CONVOLUTION")) EXPECT_EQ(cpu::suits_winograd(plan, c.W, ours[0].shape()), c.winograd);
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const double off = distance(ours[i], exact[i]);
      ++test::expectations;
      if (!(off < 1e-5)) test::fail(__FILE__, __LINE__, text("x ", c.x, ", array ", i, " is off by ", off));
    }
  }
}

TEST(winograd_has_one_result_for_any_threads_and_orders) {
  random::RandomState draw(5);
  const int before = cpu::thread_count();
  for (const Case& c : kCases) {
    const Array x = draw.normal(0, 1, c.x, float32), W = draw.normal(0, 0.1, c.W, float32),
                b = draw.normal(0, 1, {c.W[0]}, float32);
    cpu::set_thread_count(1);
    const Arrays one = results_of(x, W, b, c);
    for (const int threads : {2, 3, 16}) {
      cpu::set_thread_count(threads);
      // Channels last, with filters and images that are views of other arrays.
      const Array last = channels_to_front(channels_to_end(x).contiguous());
      const Array wide = concatenate({x, x}, 3), part = get_item(wide, {Slice(), Slice(), Slice(), Slice(0, c.x[3])});
      const Array turned = W.transpose({1, 0, 2, 3}).contiguous().transpose({1, 0, 2, 3});
      for (const Array& images : {x, last, part}) {
        const Arrays many = results_of(images, threads == 3 ? turned : W, b, c);
        for (std::size_t i = 0; i < one.size(); ++i) {
          ++test::expectations;
          if (!same_bits(one[i], many[i]))
            test::fail(__FILE__, __LINE__, text("x ", c.x, ", ", threads, " threads, array ", i));
        }
      }
    }
  }
  cpu::set_thread_count(before);
}

// Arrays of bfloat16 are computed by the same kernels as float32 of the same values; only results are rounded.
TEST(winograd_in_bfloat16_rounds_results_only) {
  random::RandomState draw(7);
  const int before = cpu::thread_count();
  const auto distinct = [](const Array& a, const Array& b) {
    return max(abs(a.astype(float32) - b.astype(float32))).item<double>() / max(abs(b.astype(float32))).item<double>();
  };
  for (const Case& c : kCases) {
    if (!c.winograd) continue;
    const Array x = draw.normal(0, 1, c.x, bfloat16), W = draw.normal(0, 0.1, c.W, bfloat16),
                b = draw.normal(0, 1, {c.W[0]}, bfloat16);
    cpu::set_thread_count(1);
    const Arrays one = results_of(x, W, b, c);
    const Array wide = F::convolution_2d(Variable(x.astype(float32), false), W.astype(float32), b.astype(float32),
                                         {.stride = c.stride, .pad = c.pad})
                           .array();
    // Without tiles for bfloat16 the results are float32's, rounded once; with them, sums differ before rounding.
    if (const auto* k = cpu::bfloat_kernels(); (!k || !k->tiles) && !std::getenv("CHAINER_CONVOLUTION"))
      EXPECT(same_bits(one[0], wide.astype(bfloat16)));
    EXPECT(distinct(one[0], wide) < 0x1p-7);
    const Arrays exact = results_of(x.astype(float64), W.astype(float64), b.astype(float64), c);
    for (std::size_t i = 1; i < one.size(); ++i) EXPECT(distinct(one[i], exact[i]) < 0.02);
    for (const int threads : {2, 3, 16}) {
      cpu::set_thread_count(threads);
      const Array last = channels_to_front(channels_to_end(x).contiguous());
      for (const Array& images : {x, last}) {
        const Arrays many = results_of(images, W, b, c);
        for (std::size_t i = 0; i < one.size(); ++i) EXPECT(same_bits(one[i], many[i]));
      }
    }
  }
  cpu::set_thread_count(before);
}

// Transformed filters are kept between calls, and computed again after a write to the filters.
TEST(winograd_sees_each_change_of_its_filters) {
  random::RandomState draw(6);
  const Array x = draw.normal(0, 1, {4, 32, 16, 16}, float32);
  Array W = draw.normal(0, 0.1, {32, 32, 3, 3}, float32);
  const NoBackpropMode quiet;
  const auto result = [&] { return F::convolution_2d(Variable(x), Variable(W), {}, {.pad = 1}).array(); };
  const Array first = result();
  EXPECT(same_bits(first, result()) && same_bits(first, result()));
  const Array gradient = F::deconvolution_2d(Variable(x), Variable(W), {}, {.pad = 1}).array();
  EXPECT(same_bits(gradient, F::deconvolution_2d(Variable(x), Variable(W), {}, {.pad = 1}).array()));
  EXPECT(!same_bits(first, gradient));
  W *= 2.0f;
  EXPECT(same_bits(result(), first * 2.0f));
}

TEST(without_winograd_each_result_is_that_of_its_own_inputs) {
  if (std::getenv("CHAINER_CONVOLUTION")) return;
  random::RandomState draw(11);
  const Case c = kCases[0];
  Array x = draw.normal(0, 1, c.x, float32), W = draw.normal(0, 0.1, c.W, float32);
  set_item(W, {ellipsis, Slice(1, 3), Slice()}, array(0.f));  // results depend only on the line above
  set_item(x, {0, 0, 8, 8}, array(std::numeric_limits<float>::infinity()));
  set_item(x, {1, Slice(), Slice(9, 16), Slice()}, array(0.f));
  const auto convolved = [&] { return F::convolution_2d(x, W, {}, {.pad = 1}).array(); };
  const auto spread = [](const Array& y) { return count_nonzero(logical_not(isfinite(y[0][0]))).item<int64_t>(); };
  EXPECT(spread(convolved()) > 9);
  const UsingConfig exact(&Config::winograd, false);
  const Array y = convolved();
  EXPECT_EQ(spread(y), 9);
  EXPECT_EQ(count_nonzero(y[{1, Slice(), Slice(11, 16), Slice()}]).item<int64_t>(), 0);
}

TEST(dilated_convolutions_agree_with_float64) {
  random::RandomState draw(6);
  const auto among = [&](int64_t low, int64_t high) { return draw.randint(low, high + 1, {1}).item<int64_t>(); };
  int used = 0;
  for (int i = 0; i < 60; ++i) {
    const PerAxis dilate{among(1, 4), among(1, 4)};
    const PerAxis pad{among(0, 1) * dilate.on(2, "")[0], among(0, 1) * dilate.on(2, "")[1]};
    // Filters of 4x4 with stride two suit the algorithm, too, but not if they are dilated.
    const int64_t stride = i % 3 ? 1 : 2, side = i % 3 ? 3 : 4;
    const int64_t channels = 16 * among(2, 5), filters = 16 * among(2, 5);
    const Array x = draw.normal(0, 1, {among(1, 5), channels, among(14, 50), among(14, 50)}, float32),
                W = draw.normal(0, 0.1, {filters, channels, side, side}, float32),
                b = draw.normal(0, 1, {filters}, float32);
    const auto results = [&](const Array& images, Dtype dtype, bool winograd) {
      const UsingConfig choice(&Config::winograd, winograd);
      const Variable vx(images.astype(dtype)), vW(W.astype(dtype)), vb(b.astype(dtype));
      const F::ConvolutionOptions o{.stride = stride, .pad = pad, .dilate = dilate};
      const Variable y = F::convolution_2d(vx, vW, vb, o);
      const Array g = random::RandomState(4).normal(0, 1, y.shape(), float32).astype(dtype);
      F::sum(y * g + F::convolution_2d(vx, vW, {}, o) * g).backward();
      return Arrays{y.array(), vx.grad(), vW.grad(), vb.grad()};
    };
    const Arrays exact = results(x, float64, false), direct = results(x, float32, false),
                 fast = results(x, float32, true),
                 last = results(channels_to_front(channels_to_end(x).copy()), float32, true);
    for (std::size_t k = 0; k < exact.size(); ++k) {
      EXPECT(distance(fast[k], exact[k]) < 1e-5);
      EXPECT(distance(last[k], exact[k]) < 1e-5);
    }
    used += distance(fast[0], direct[0].astype(float64)) > 0;
    const int before = cpu::thread_count();
    cpu::set_thread_count(before == 1 ? 2 : 1);
    const Arrays again = results(x, float32, true);
    cpu::set_thread_count(before);
    for (std::size_t k = 0; k < again.size(); ++k) EXPECT_CLOSE(again[k], fast[k], {.atol = 0, .rtol = 0});
  }
  EXPECT(used > 10);
}
