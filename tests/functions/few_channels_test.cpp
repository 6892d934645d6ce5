// SPDX-License-Identifier: MIT
// Convolutions with few output channels, whose kernels hold several pixels in a vector, compared with float64.
#include <chainer/chainer.h>

#include <cstring>
#include <limits>

#include "chainer/core/parallel.h"
#include "test.h"

using namespace chainer;

namespace {

struct FewCase {
  Shape x, W;
  Dims pad;
};

// Lengths around those at which kernels switch: lines in groups of 16, 8, 4 and 1, lines of filters in groups of 5, 3,
// 2 and 1, vectors that end within a pixel, strips of large images.
FewCase draw_case(random::RandomState& draw, bool gradient) {
  const auto from = [&](int64_t low, int64_t high) { return draw.randint(low, high + 1, {1}).item<int64_t>(); };
  const int64_t rows = from(1, 7), columns = from(3, 7);
  const int64_t channels = gradient ? from(1, 8) : from(1, 4), results = gradient ? from(16, 20) : from(1, 6);
  return {{from(1, 4), channels, from(rows, 40), from(columns, 70)},
          {results, channels, rows, columns},
          {from(0, rows - 1), from(0, columns - 1)}};
}

bool same_bits(const Array& a, const Array& b) {
  const Array x = a.contiguous(), y = b.contiguous();
  return std::memcmp(x.raw(), y.raw(), static_cast<std::size_t>(x.nbytes())) == 0;
}

}  // namespace

TEST(few_channels_agree_with_float64) {
  random::RandomState draw(5);
  for (int i = 0; i < 120; ++i) {
    const FewCase c = draw_case(draw, i % 2 == 1);
    Array x = draw.normal(0, 1, c.x, float32);
    if (i % 3 == 0) x = x.transpose({0, 2, 3, 1}).contiguous().transpose({0, 3, 1, 2});
    const Array W = draw.normal(0, 1, c.W, float32), b = draw.normal(0, 1, {c.W[0]}, float32),
                e = draw.normal(0, 1, {c.W[1]}, float32);
    const auto run = [&](Dtype d) {
      Variable vx(x.astype(d)), vW(W.astype(d)), vb(b.astype(d)), ve(e.astype(d));
      const Variable y = F::convolution_2d(vx, vW, vb, {.pad = c.pad});
      const Array g = random::RandomState(4).normal(0, 1, y.shape(), float32).astype(d);
      const Variable back = F::deconvolution_2d(Variable(g), vW, ve, {.pad = c.pad});
      // x is used twice, so its gradient is accumulated.
      F::sum(y * g + F::convolution_2d(vx, vW, {}, {.pad = c.pad}) * g).backward();
      return Arrays{y.array(), vx.grad(), vW.grad(), back.array()};
    };
    cpu::set_thread_count(1);
    const Arrays ours = run(float32), exact = run(float64);
    cpu::set_thread_count(3);
    const Arrays threads = run(float32);
    cpu::set_thread_count(0);
    for (std::size_t k = 0; k < ours.size(); ++k) {
      const double off = (max(abs(ours[k].astype(float64) - exact[k])) / max(abs(exact[k]))).item<double>();
      ++test::expectations;
      if (!(off < 2e-5) || !same_bits(ours[k], threads[k]))
        test::fail(__FILE__, __LINE__, text("x ", c.x, ", W ", c.W, ", array ", k, " is off by ", off));
    }
  }
}

TEST(what_is_not_a_number_stays_in_its_window) {
  const Array W = random::RandomState(1).normal(0, 1, {16, 6, 5, 5}, float32);
  Array gy = zeros({2, 16, 10, 10}, float32);
  gy.mutable_data<float>()[((16 + 3) * 10 + 4) * 10 + 4] = std::numeric_limits<float>::infinity();
  const Array gx = F::deconvolution_2d(Variable(gy), Variable(W)).array().contiguous();
  const float* v = gx.data<float>();
  for (int64_t image = 0; image < 2; ++image)
    for (int64_t c = 0; c < 6; ++c)
      for (int64_t y = 0; y < 14; ++y)
        for (int64_t x = 0; x < 14; ++x, ++v) {
          const bool under = image == 1 && y >= 4 && y < 9 && x >= 4 && x < 9;
          EXPECT_EQ(*v - *v == 0, !under);
          if (!under) EXPECT_EQ(*v, 0.0f);
        }
}
