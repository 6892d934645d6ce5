// SPDX-License-Identifier: MIT
// Convolutions of bfloat16 images and both gradients, compared with float64: random lengths, strides, pads, dilations.
#include <chainer/chainer.h>

#include <cstring>

#include "chainer/array/backend.h"
#include "chainer/array/host_kernels/convolution.h"
#include "chainer/core/parallel.h"
#include "test.h"

using namespace chainer;

namespace {

Array with_adjacent_channels(const Array& a) { return channels_to_front(channels_to_end(a).copy()); }

struct Case {
  ConvolutionPlan plan;
  Array x, W, y, bias_x, bias_y;

  const Array& a(Convolution op) const { return op == Convolution::backward_data ? y : x; }
  const Array& b(Convolution op) const { return op == Convolution::backward_weights ? y : W; }
  Array bias(Convolution op) const {
    return op == Convolution::forward ? bias_y : op == Convolution::backward_data ? bias_x : Array();
  }
  const Array& like(Convolution op) const {
    return op == Convolution::forward ? y : op == Convolution::backward_data ? x : W;
  }
};

Array computed(const Case& c, Convolution op, Dtype operands, Dtype result, bool magnitudes, const Array& start = {}) {
  const auto given = [&](const Array& a) {
    if (!a) return a;
    const Array cast = a.astype(operands, false);
    return magnitudes ? absolute(cast) : cast;
  };
  const Shape& shape = c.like(op).shape();
  Array out =
      op == Convolution::backward_weights ? Array(shape, result, Device()) : channels_last(shape, result, Device());
  if (start) copy_elements(start, out);
  const Array a = given(c.a(op)), b = given(c.b(op)), bias = given(c.bias(op));
  host_kernels::convolve({op, c.plan, a, b, bias, out, static_cast<bool>(start)});
  return out;
}

void check(const Case& c, Convolution op, Dtype result, const Array& start) {
  const Array y = computed(c, op, bfloat16, result, false, start);
  Array exact = computed(c, op, float64, float64, false), sums = computed(c, op, float64, float64, true);
  if (start) exact = exact + start.astype(float64), sums = sums + absolute(start.astype(float64));
  // With a bias, filters of one element round it together with the result.
  const double rounding = result == float32 ? 0 : 1.0 / 256;
  const double e =
      max(absolute(y.astype(float64) - exact) / (rounding * absolute(exact) + 1e-6 * sums + 1e-30)).item<double>();
  ++test::expectations;
  if (!(e <= 1.01))
    test::fail(__FILE__, __LINE__,
               text("operation ", static_cast<int>(op), ", x ", c.x.shape(), ", W ", c.W.shape(), ", y ", c.y.shape(),
                    ", stride ", c.plan.stride, ", pad ", c.plan.pad, ", dilate ", c.plan.dilate, ": ", e));
}

}  // namespace

TEST(bfloat_convolutions_are_those_of_float64) {
  random::RandomState draw(8);
  const auto among = [&](int64_t low, int64_t high) { return draw.randint(low, high + 1, {1}).item<int64_t>(); };
  int done = 0;
  while (done < 120) {
    const bool plain = among(0, 1), one = among(0, 4) == 0;
    const int axes = among(0, 3) ? 2 : 1;  // images or lines
    ConvolutionPlan p;
    Dims in, kernel, out;
    for (int d = 0; d < axes; ++d) {
      kernel.push_back(one ? 1 : among(1, 4));
      p.stride.push_back(plain ? 1 : among(1, 3)), p.pad.push_back(among(0, 2)),
          p.dilate.push_back(plain ? 1 : among(1, 3));
      in.push_back(among(1, 12));
      const int64_t room = in[d] + 2 * p.pad[d] - (kernel[d] - 1) * p.dilate[d] - 1;
      out.push_back(room < 0 ? 0 : (room + (among(0, 3) ? 0 : p.stride[d] - 1)) / p.stride[d] + 1);
    }
    if (Shape(out).product() == 0) continue;
    const int64_t n = done % 10 ? among(1, 4) : 40, channels = among(16, 70), filters = among(16, 150);
    const auto normal = [&](const Shape& s) {
      const Array a = draw.normal(0, 1, s).astype(bfloat16);
      return s.ndim() > 2 && among(0, 1) ? with_adjacent_channels(a) : a;
    };
    const auto with = [](int64_t first, int64_t second, const Dims& rest) {
      Shape s{first, second};
      for (const int64_t d : rest) s.push_back(d);
      return s;
    };
    Case c{p,
           normal(with(n, channels, in)),
           draw.normal(0, 1, with(filters, channels, kernel)).astype(bfloat16),
           normal(with(n, filters, out)),
           {},
           {}};
    if (among(0, 1)) c.bias_x = normal({channels}), c.bias_y = normal({filters});
    check(c, Convolution::forward, bfloat16, {});
    check(c, Convolution::backward_data, bfloat16, {});
    check(c, Convolution::backward_weights, bfloat16, {});
    check(c, Convolution::backward_weights, float32, {});
    check(c, Convolution::backward_weights, float32, draw.normal(0, 1, c.W.shape()).astype(float32));
    ++done;
  }
}

TEST(bfloat_convolutions_have_the_same_bits_for_every_number_of_threads) {
  random::RandomState draw(9);
  const auto normal = [&](const Shape& s) { return draw.normal(0, 1, s).astype(bfloat16); };
  const int before = cpu::thread_count();
  const Case c{{.stride = {1, 1}, .pad = {1, 1}, .dilate = {1, 1}},
               normal({20, 40, 32, 32}),
               normal({140, 40, 3, 3}),
               normal({20, 140, 32, 32}),
               {},
               {}};
  for (const Convolution op : {Convolution::forward, Convolution::backward_data, Convolution::backward_weights}) {
    Array first;
    for (const int threads : {1, 2, 3, 7}) {
      cpu::set_thread_count(threads);
      const Array y = channels_to_end(computed(c, op, bfloat16, bfloat16, false)).contiguous();
      if (threads == 1) first = y;
      EXPECT(std::memcmp(y.raw(), first.raw(), static_cast<std::size_t>(y.nbytes())) == 0);
    }
  }
  cpu::set_thread_count(before);
}
