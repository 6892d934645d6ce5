// SPDX-License-Identifier: MIT
// Convolutions with few results per image, computed by products of lines, compared with one image at a time.
#include <chainer/chainer.h>

#include <cstring>

#include "chainer/core/parallel.h"
#include "test.h"

using namespace chainer;

namespace {

struct Case {
  Shape x, W;
  int64_t stride, pad;
};
const Case kCases[] = {{{16, 16, 2, 2}, {32, 16, 3, 3}, 1, 1},       {{40, 48, 1, 1}, {33, 48, 3, 3}, 1, 1},
                       {{17, 32, 2, 3}, {64, 32, 5, 5}, 2, 2},       {{23, 16, 1, 4}, {40, 16, 3, 3}, 1, 1},
                       {{16, 24, 3, 3}, {32, 24, 3, 3}, 2, 1},       {{19, 16, 4}, {32, 16, 5}, 1, 2},
                       {{16, 16, 1, 2, 2}, {32, 16, 3, 3, 3}, 1, 1}, {{18, 16, 2, 2}, {32, 16, 2, 2}, 2, 2},
                       {{128, 64, 2, 2}, {96, 64, 3, 3}, 1, 1}};

Arrays results_of(const Array& x, const Array& W, const Array& b, const Case& c) {
  Variable vx(x), vW(W), vb(b);
  const functions::ConvolutionOptions options{.stride = c.stride, .pad = c.pad};
  const Variable y = F::convolution_nd(vx, vW, vb, options);
  const Array g = (y.array() * 0.5 + 1).astype(x.dtype());
  // W and x are used twice, so their gradients are accumulated.
  F::sum(y * g + F::convolution_nd(vx, vW, {}, options) * g).backward();
  return Arrays{y.array(), vx.grad(), vW.grad(), vb.grad()};
}

Arrays one_at_a_time(const Array& x, const Array& W, const Array& b, const Case& c) {
  Arrays y, gx;
  Array gW = zeros_like(W), gb = zeros_like(b);
  for (int64_t i = 0; i < x.shape()[0]; ++i) {
    const Arrays r = results_of(x[{Slice(i, i + 1)}].copy(), W, b, c);
    y.push_back(r[0]), gx.push_back(r[1]);
    gW += r[2], gb += r[3];
  }
  return Arrays{concatenate(y, 0), concatenate(gx, 0), gW, gb};
}

}  // namespace

TEST(convolutions_of_few_results_are_those_of_each_image) {
  random::RandomState draw(5);
  const int before = cpu::thread_count();
  for (const Case& c : kCases) {
    const Array x = draw.normal(0, 1, c.x, float64), W = draw.normal(0, 1, c.W, float64),
                b = draw.normal(0, 1, {c.W[0]}, float64);
    const Arrays exact = one_at_a_time(x, W, b, c);
    for (const Dtype dtype : {float64, float32}) {
      Arrays first;
      for (const int threads : {1, 2, 5}) {
        cpu::set_thread_count(threads);
        const Arrays ours = results_of(x.astype(dtype), W.astype(dtype), b.astype(dtype), c);
        for (std::size_t i = 0; i < ours.size(); ++i) {
          EXPECT_EQ(ours[i].shape(), exact[i].shape());
          const double off = (max(abs(ours[i].astype(float64) - exact[i])) / max(abs(exact[i]))).item<double>();
          ++test::expectations;
          if (!(off < (dtype == float64 ? 1e-13 : 2e-6)))
            test::fail(__FILE__, __LINE__, text("x ", c.x, ", array ", i, " of ", dtype, " is off by ", off));
          if (threads == 1) continue;
          const Array a = ours[i].contiguous(), z = first[i].contiguous();
          EXPECT(std::memcmp(a.raw(), z.raw(), static_cast<std::size_t>(a.nbytes())) == 0);
        }
        if (threads == 1) first = ours;
      }
    }
  }
  cpu::set_thread_count(before);
}
