// SPDX-License-Identifier: MIT
// Kernels for images and cells compared with the host, through the interface of the backend: lengths that are not
// multiples of tiles, several parts, groups, strides, dtypes, and two orders of threads.
#include <chainer/chainer.h>

#include <array>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/array/operations/batch_factors.h"
#include "chainer/array/operations/convolution.h"
#include "chainer/array/operations/pooling.h"
#include "chainer/array/operations/recurrent_cells.h"
#include "chainer/backend/cuda/emulation/emulation.h"
#include "emulated_number.h"
#include "test.h"

using namespace chainer;

namespace {

Array drawn_as(const Shape& s, Dtype d, uint32_t seed) { return random::RandomState(seed).randn(s).astype(d); }
double tolerance_of(Dtype d) { return d == float64 ? 1e-11 : d == float32 ? 2e-5 : 2e-2; }

// f(device) returns a list of arrays, which must be the same on the host and with both orders of threads.
template <class F>
void expect_host_results(Dtype dtype, F&& f) {
  const Arrays want = f(Device());
  for (const auto order : {cuda::emulation::Order::forward, cuda::emulation::Order::shuffled}) {
    cuda::emulation::set_order(order, 11);
    const Arrays got = f(emulated_number(0));
    for (std::size_t i = 0; i < want.size(); ++i)
      EXPECT_CLOSE(to_host(got[i]), want[i], {.atol = tolerance_of(dtype), .rtol = tolerance_of(dtype)});
  }
  cuda::emulation::set_order(cuda::emulation::Order::forward);
}

}  // namespace

// Contiguous and strided keys, with one part and with many; numbers far from zero keep their variance.
TEST(moments_of_keys) {
  for (const Dtype dtype : {float32, float64})
    for (const Shape& s : {Shape{1, 1, 1}, {5, 3, 1}, {3, 40, 1}, {2000, 33, 1}, {2, 3, 7}, {3, 2, 5000}})
      expect_host_results(dtype, [&](const Device& d) {
        const Array x = (drawn_as(s, float64, 1) + 100.0).astype(dtype).to_device(d);
        const Array gy = drawn_as(s, dtype, 2).to_device(d);
        const auto keys = [&] { return Array({s[1]}, float64, d); };
        Array mean = keys(), squares = keys(), total = keys(), along = keys(), gx(s, dtype, d);
        Backend& b = d.backend();
        b.moments(x, mean, squares);
        b.moments_grad(gy, x, mean, total, along);
        const auto factors = [&](uint32_t seed) { return drawn_as({s[1]}, float64, seed).to_device(d); };
        b.centered_combination(gy, x, mean, factors(3), factors(4), factors(5), gx);
        const double share = 1.0 / static_cast<double>(s[0] * s[2]);
        return Arrays{mean * 0.01, squares * share, total * share, along * share, gx};
      });
}

// Factors and gradients of batch normalization, and rows of layer normalization, compared with those that the host
// composes.
TEST(factors_of_normalizations) {
  for (const Dtype dtype : {float32, float64})
    for (const Shape& s : {Shape{1, 1, 1}, {2, 5, 1}, {5, 3, 1}, {70, 40, 1}, {2000, 33, 1}, {2, 3, 7}, {3, 2, 5000}})
      for (const bool runs : {false, true}) {
        expect_host_results(dtype, [&](const Device& d) {
          const Array x = (drawn_as(s, float64, 1) + 3.0).astype(dtype).to_device(d);
          const Array gy = drawn_as(s, dtype, 2).to_device(d);
          const auto keys = [&](Dtype t) { return Array({s[1]}, t, d); };
          const auto drawn = [&](uint32_t seed) { return drawn_as({s[1]}, dtype, seed).to_device(d); };
          BatchFactors f{x,
                         drawn(3),
                         1e-3,
                         0.9,
                         runs ? drawn(4) : Array(),
                         runs ? drawn(5) : Array(),
                         keys(float64),
                         keys(float64),
                         keys(dtype)};
          Backend& b = d.backend();
          b.batch_factors(f);
          Array gx(s, dtype, d), ggamma = keys(dtype), gbeta = keys(dtype);
          b.batch_gradients(gy, x, f.average, f.rstd, f.gamma, gx, ggamma, gbeta);
          const double share = 1 / static_cast<double>(s[0] * s[2]);
          Arrays all{f.average, f.rstd * 0.03, f.scale * 0.03, gx * 0.03, ggamma * share, gbeta * share};
          if (runs) all.push_back(f.running_mean), all.push_back(f.running_var);
          return all;
        });
        expect_host_results(dtype, [&](const Device& d) {
          const Shape rows{s[1], s[0] * s[2]};
          const Array x = drawn_as(rows, dtype, 6).to_device(d), gy = drawn_as(rows, dtype, 7).to_device(d);
          Array y(rows, dtype, d), rstd({rows[0]}, float64, d), gx(rows, dtype, d);
          d.backend().standardize(x, 1e-3, y, rstd);
          d.backend().standardize_grad(gy, y, rstd, gx);
          return Arrays{y, rstd * 0.03, gx * 0.03};
        });
      }
}

namespace {

struct PoolingCase {
  Dims size, ksize, stride, pad;
};
Dims windows_along(const PoolingCase& c) {
  Dims out;
  for (int d = 0; d < c.size.ndim(); ++d) out.push_back((c.size[d] + 2 * c.pad[d] - c.ksize[d]) / c.stride[d] + 1);
  return out;
}

}  // namespace

// Every pooling operation, over one to four axes (four are composed), with windows that overlap, have gaps, and extend
// beyond the image.
TEST(pooling_of_one_to_four_axes) {
  const std::array<PoolingCase, 6> cases{{{{9}, {3}, {2}, {1}},
                                          {{6, 7}, {2, 2}, {2, 2}, {0, 0}},
                                          {{6, 7}, {3, 2}, {1, 2}, {1, 1}},
                                          {{5, 5}, {2, 1}, {3, 2}, {0, 0}},
                                          {{3, 4, 5}, {2, 3, 2}, {1, 2, 2}, {1, 1, 0}},
                                          {{3, 2, 3, 2}, {2, 1, 2, 1}, {1, 1, 1, 1}, {0, 0, 0, 0}}}};
  for (const PoolingCase& c : cases)
    for (const Dtype dtype : {float32, float64})
      for (const auto weight : {PoolingPlan::Weight::one, PoolingPlan::Weight::volume, PoolingPlan::Weight::inside})
        for (const int64_t inner : {1, 5})
          expect_host_results(dtype, [&](const Device& d) {
            const PoolingPlan plan{c.size, windows_along(c), c.ksize, c.stride, c.pad, weight};
            Shape images{2}, windows{2};
            for (int64_t n : plan.size) images.push_back(n);
            for (int64_t n : plan.out) windows.push_back(n);
            images.push_back(inner), windows.push_back(inner);
            const Array x = drawn_as(images, dtype, 1).to_device(d), gy = drawn_as(windows, dtype, 2).to_device(d);
            Array y(windows, dtype, d), sum(windows, dtype, d), again(windows, dtype, d), place(windows, int32, d),
                gx(images, dtype, d), spread(images, dtype, d);
            Backend& b = d.backend();
            b.pooling(Pooling::max, plan, x, y, &place);
            b.pooling(Pooling::sum, plan, x, sum, nullptr);
            b.pooling(Pooling::gather, plan, x, again, &place);
            b.pooling(Pooling::scatter, plan, gy, gx, &place);
            b.pooling(Pooling::spread, plan, gy, spread, nullptr);
            return Arrays{y, place.astype(float64), sum, again, gx, spread};
          });
}

TEST(nan_wins_in_max_pooling) {
  const Array x = array({1.f, std::nanf(""), 3.f, 4.f, 2.f, 0.f}).reshape({1, 1, 6});
  const auto pooled = [&](const Device& d) {
    return to_host(F::max_pooling_1d(Variable(x.to_device(d)), 3).array()).to_vector<float>();
  };
  EXPECT(std::isnan(pooled(emulated_number(0))[0]));
  EXPECT_EQ(pooled(emulated_number(0))[1], 4.f);
}

namespace {

struct ConvolutionCase {
  Shape x, w, y;
  ConvolutionPlan plan;
};

}  // namespace

// The three operations on arrays with channels first or last, with bias, and added to existing values; in the last case
// the gradient with respect to filters has several parts.
TEST(convolutions_of_one_to_four_axes) {
  const std::array<ConvolutionCase, 7> cases{
      {{{2, 3, 9}, {4, 3, 3}, {2, 4, 5}, {{2}, {1}, {1}, 1}},
       {{2, 3, 6, 7}, {5, 3, 3, 2}, {2, 5, 6, 4}, {{1, 2}, {1, 1}, {1, 1}, 1}},
       {{2, 4, 7, 7}, {6, 2, 3, 3}, {2, 6, 3, 3}, {{1, 1}, {0, 0}, {2, 2}, 2}},
       {{3, 70, 5, 5}, {66, 70, 1, 1}, {3, 66, 5, 5}, {{1, 1}, {0, 0}, {1, 1}, 1}},
       {{1, 2, 3, 4, 5}, {3, 2, 2, 2, 2}, {1, 3, 2, 3, 2}, {{1, 1, 2}, {0, 0, 0}, {1, 1, 1}, 1}},
       {{1, 2, 3, 2, 3, 2}, {2, 2, 2, 1, 2, 1}, {1, 2, 2, 2, 2, 2}, {{1, 1, 1, 1}, {0, 0, 0, 0}, {1, 1, 1, 1}, 1}},
       {{3, 2, 30, 30}, {3, 2, 3, 3}, {3, 3, 30, 30}, {{1, 1}, {1, 1}, {1, 1}, 1}}}};
  for (const ConvolutionCase& c : cases)
    for (const Dtype dtype : {float32, float64, float16})
      for (const bool last : {false, true})
        expect_host_results(dtype, [&](const Device& d) {
          const auto image = [&](const Shape& s, uint32_t seed) {
            const Array from = drawn_as(s, dtype, seed) * 0.25;
            if (!last) return from.to_device(d);
            Array out = channels_last(s, dtype, d);
            copy_elements(from.to_device(d), out);
            return out;
          };
          const Array x = image(c.x, 1), y = image(c.y, 2), none;
          const Array w = (drawn_as(c.w, dtype, 3) * 0.25).to_device(d);
          const Array bias = drawn_as({c.w[0]}, dtype, 4).to_device(d);
          Array out = image(c.y, 5), gx = image(c.x, 6), gw = zeros(c.w, dtype).to_device(d);
          Backend& b = d.backend();
          ConvolutionPlan plan = c.plan;
          plan.tensor_cores = false;  // they round operands of float32
          b.convolution({Convolution::forward, plan, x, w, bias, out, false});
          Array more = out.copy(), gw_more = (drawn_as(c.w, dtype, 7)).to_device(d);
          b.convolution({Convolution::forward, plan, x, w, none, more, true});
          b.convolution({Convolution::backward_data, plan, y, w, none, gx, false});
          b.convolution({Convolution::backward_weights, plan, x, y, none, gw, false});
          b.convolution({Convolution::backward_weights, plan, x, y, none, gw_more, true});
          const double scale = dtype == float16 ? 0.1 : 1;  // float16 rounds sums of some hundred terms
          return Arrays{out, more, gx, gw * scale, gw_more * scale};
        });
}

// Cells of every kind of link except peepholes: LSTMs, two sources (S-LSTM), children (tree LSTMs), GRUs.
TEST(recurrent_cells) {
  struct Kind {
    int sources, children;
    bool interleaved;
  };
  for (const Dtype dtype : {float32, float64})
    for (const Kind& kind : {Kind{1, 1, false}, {1, 1, true}, {2, 1, true}, {1, 3, false}, {5, 1, false}})
      expect_host_results(dtype, [&](const Device& d) {
        const int64_t rows = 5, units = 7, gates = 3 + kind.children;
        const LstmCells cells{.rows = rows,
                              .units = units,
                              .gate_stride = kind.interleaved ? 1 : units,
                              .unit_stride = kind.interleaved ? gates : 1,
                              .sources = kind.sources,
                              .children = kind.children};
        const auto cell = [&](uint32_t seed) { return drawn_as({rows, units}, dtype, seed).to_device(d); };
        Arrays x, before, gx, gbefore;
        for (int s = 0; s < kind.sources; ++s) {
          x.push_back(drawn_as({rows, gates * units}, dtype, static_cast<uint32_t>(s) + 1).to_device(d));
          gx.push_back(zeros({rows, gates * units}, dtype).to_device(d));
          for (int k = 0; k < kind.children; ++k) {
            before.push_back(cell(static_cast<uint32_t>(20 + s * 5 + k)));
            gbefore.push_back(k == 1 ? Array() : cell(9));
          }
        }
        Array c = cell(1), h = cell(2);
        const Array gc = cell(50), gh = cell(51), none;
        Backend& b = d.backend();
        b.lstm(cells, {x.data(), x.size()}, {before.data(), before.size()}, c, h);
        Arrays out{c, h};
        for (const auto& [g1, g2] : {std::pair{gc, gh}, {none, gh}, {gc, none}}) {
          b.lstm_grad(cells, {x.data(), x.size()}, {before.data(), before.size()}, c, g1, g2, {gx.data(), gx.size()},
                      {gbefore.data(), gbefore.size()});
          for (const Array& a : gx) out.push_back(a.copy());
          for (const Array& a : gbefore)
            if (a) out.push_back(a.copy());
        }
        return out;
      });
  for (const Dtype dtype : {float32, float64})
    expect_host_results(dtype, [&](const Device& d) {
      const auto gates = [&](uint32_t seed) { return drawn_as({6, 3 * 9}, dtype, seed).to_device(d); };
      const auto cell = [&](uint32_t seed) { return drawn_as({6, 9}, dtype, seed).to_device(d); };
      const Array x = gates(1), hx = gates(2), before = cell(3);
      Array h = cell(4), gx = gates(5), ghx = gates(6), g = cell(7);
      d.backend().gru(x, hx, before, h);
      d.backend().gru_grad(x, hx, before, g, gx, ghx, g);  // gh_prev is gh itself
      return Arrays{h, gx, ghx, g};
    });
}
