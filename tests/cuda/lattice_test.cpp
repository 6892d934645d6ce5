// SPDX-License-Identifier: MIT
// The lattice of CTC and the gradient of running products on a device, compared with the host.
#include <limits>

#include "as_on_the_host.h"
#include "chainer/array/backend.h"

using namespace chainer;

TEST(the_lattice_of_ctc_stays_on_the_device) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  struct Sizes {
    int64_t steps, batch, vocabulary, labels;
  };
  for (const Dtype dtype : {float32, float64, float16})
    for (const Sizes& s :
         {Sizes{1, 1, 2, 1}, {6, 3, 4, 0}, {7, 33, 5, 3}, {40, 5, 3, 15}, {35, 4, 40, 16}, {300, 2, 9, 140}})
      for (const int64_t blank : {int64_t(0), s.vocabulary - 1}) {
        random::RandomState r(4);
        Array x = r.randn({s.steps, s.batch, s.vocabulary}).astype(dtype);
        if (s.batch == 5) x[{2, 1}].fill(nan), x[{Slice(), 2, 1}].fill(-inf);
        const Array t = (r.randint(1, s.vocabulary, {s.batch, s.labels}) + blank) % s.vocabulary;  // not the blank
        const Array steps = r.randint((s.steps + 1) / 2, s.steps + 1, {s.batch});
        const Array labels = r.randint(s.labels / 2, s.labels + 1, {s.batch});
        expect_as_on_the_host(
            dtype == float64   ? 1e-9
            : dtype == float32 ? 2e-4
                               : 2e-2,
            [&](const Device& d) {
              const Variable in(s.batch == 4 ? reversed_in_memory(x, d) : x.to_device(d));
              const Array there = s.batch == 3 ? t : t.to_device(d);
              Arrays out;
              for (const Variable& y :
                   {F::connectionist_temporal_classification(in, there, blank, {.reduce = Reduction::no}),
                    F::connectionist_temporal_classification(
                        in, there, blank, {.input_length = steps, .label_length = labels, .reduce = Reduction::no})})
                for (const Array& a : with_gradients(y, {in})) out.push_back(a);
              return out;
            });
      }
}

// The gradient does not depend on the launch: the same bits in all orders of threads.
TEST(gradients_of_ctc_have_the_same_bits_in_all_orders) {
  using cuda::emulation::Order;
  const Array x = random::RandomState(1).randn({30, 3, 5}), t = random::RandomState(2).randint(1, 5, {3, 12});
  Array first;
  for (const auto order : {Order::forward, Order::backward, Order::shuffled}) {
    cuda::emulation::set_order(order, 3);
    const Variable in(x.to_device(emulated_number(0)));
    const Array g = to_host(with_gradients(F::connectionist_temporal_classification(in, t, 0), {in})[1]);
    if (!first) first = g;
    EXPECT_CLOSE(g, first, {.atol = 0, .rtol = 0});
  }
  cuda::emulation::set_order(Order::forward);
}

// Unused labels are not checked. A wrong one is found at the next wait for the device.
TEST(wrong_labels_of_ctc_are_found_on_the_device) {
  const Device d = emulated_number(0);
  const Variable x(random::RandomState(1).randn({4, 2, 3}).to_device(d));
  const Array t = array({{1, 2}, {2, -1}}).to_device(d);
  const Variable y = F::connectionist_temporal_classification(x, t, 0, {.label_length = array({2, 1})});
  EXPECT(y.item<double>() > 0);
  EXPECT_THROW(IndexError, "connectionist_temporal_classification: label -1 at position (1, 1) is not in 0 ... 2",
               F::connectionist_temporal_classification(x, t, 0).item<double>());
}

// Lines by a thread each, by a block each, and in parts.
TEST(gradients_of_running_products_stay_on_the_device) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Shape> shapes = {{1, 1, 1},     {1, 2, 1},    {2, 31, 3},   {3, 33, 1},   {2, 63, 2},
                                     {2, 64, 2},    {1, 255, 1},  {3, 256, 1},  {1, 257, 5},  {2, 513, 3},
                                     {70, 65, 60},  {1, 8191, 1}, {1, 8192, 1}, {2, 8193, 1}, {1, 8448, 3},
                                     {1, 16385, 2}, {1, 25000, 1}};
  for (const Dtype dtype : {float32, float64})
    for (const Shape& s : shapes)
      for (const bool reversed : {false, true}) {
        Array x = (random::RandomState(1).randn(s) * (s[1] > 2000 ? 1e-3 : 0.05) + 1.0).astype(dtype);
        if (s[1] == 33 || s[1] == 257) x[{0, 20}].fill(0), x[{0, 7}].fill(-1);
        if (s[1] == 31) x[{0, 20, 0}].fill(nan), x[{1, 0, 0}].fill(inf), x[{1, 30, 1}].fill(-inf);
        if (s[1] == 513) x[{0, 300, 0}].fill(nan), x[{1, 512, 2}].fill(inf), x[{1, 0, 1}].fill(nan);
        expect_as_on_the_host(dtype == float64 ? 1e-9
                              : s[1] > 2000    ? 5e-3
                                               : 5e-4,
                              [&](const Device& d) {
                                const Variable in(reversed ? reversed_in_memory(x, d) : x.to_device(d));
                                return with_gradients(F::cumprod(in, 1), {in});
                              });
      }
}

// The product of the factors after the last gradient exceeds float64. (So does the device's product of the elements in
// between, so that the products are those of the host.)
TEST(products_of_factors_out_of_range_change_no_gradient) {
  Array x = full({1, 300}, 1e3, float64), g = zeros({1, 300}, float64);
  x[{0, Slice(0, 100)}].fill(1e-3);
  g[{0, 0}].fill(1), g[{0, 5}].fill(1);
  const Variable in(x);
  const Variable y = F::cumprod(in, 1);
  const Array want = chainer::grad({y}, {in}, {.grad_outputs = {Variable(g)}})[0].array();
  const Device d = emulated_number(0);
  Array gx({1, 300}, float64, d);
  EXPECT(d.backend().cumprod_grad(x.to_device(d), y.array().to_device(d), g.to_device(d), gx, 1, 300, 1));
  EXPECT_CLOSE(to_host(gx), want, {.atol = 0, .rtol = 1e-12});
}
