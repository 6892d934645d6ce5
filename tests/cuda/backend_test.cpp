// SPDX-License-Identifier: MIT
// Functions of the backend that the table of functions does not cover.
#include <chainer/array/backend.h>
#include <chainer/chainer.h>

#include <array>
#include <cmath>
#include <random>

#include "chainer/array/deferred/deferred.h"
#include "chainer/array/host.h"
#include "chainer/backend/cuda/emulation/emulation.h"
#include "chainer/backend/cuda/parts.h"
#include "chainer/backend/cuda/spaces.h"
#include "emulated_number.h"
#include "test.h"

using namespace chainer;

namespace {

const Device& emulated() {
  static const Device d = emulated_number(0);
  return d;
}

}  // namespace

TEST(dividers_divide) {
  std::mt19937 r(1);
  bool right = true;
  for (int k = 0; k < 100000; ++k) {
    const auto draw = [&] { return static_cast<uint32_t>(r()) / 2 >> r() % 31; };
    const uint32_t d = k < 3000 ? static_cast<uint32_t>(k + 1) : draw() / 2 + 1, n = draw();
    for (const uint32_t m : {n, n / d * d, n / d * d - (n >= d), 0x7fffffffu}) {
      const cuda::Divider v = cuda::divider(d);
      right = right && v.quotient(m) == m / d;
    }
  }
  EXPECT(right);
}

// Every dtype, with strides and broadcast axes, and each conversion.
TEST(dtypes_and_layouts_are_those_of_the_host) {
  for (int from = 0; from < kDtypeCount; ++from)
    for (int to = 0; to < kDtypeCount; ++to) {
      const Array a = (arange(60).astype(float32) - 7.25).astype(static_cast<Dtype>(from)).reshape({3, 4, 5});
      const Array b = a.to_device(emulated());
      const auto f = [&](const Array& x) { return x.T()[{Slice(), Slice(1, 4)}].astype(static_cast<Dtype>(to)); };
      if (static_cast<Dtype>(from) != float16 && static_cast<Dtype>(from) != bfloat16 &&
          !(is_floating(static_cast<Dtype>(from)) && !is_floating(static_cast<Dtype>(to)) &&
            static_cast<Dtype>(to) != int64 && static_cast<Dtype>(to) != int32))
        EXPECT(to_host(f(b)).to_vector<double>() == f(a).to_vector<double>());
    }
}

// Deferred programs of several dtypes, eager operations and both orders of threads: the same bits.
TEST(programs_give_the_bits_of_eager_operations) {
  const Array a = random::RandomState(2).randn({70, 100}).astype(float32).to_device(emulated());
  const auto expression = [&] {
    const Array x = a * 1.5 + exp(a), mask = x > 0.5;
    const Array half = where(mask, tanh(x), x.astype(float16).astype(float32)), wide = x.astype(float64) * half;
    const Array n = (x * 10.0).astype(int64) % 7;
    return std::vector<Array>{half, wide, n, sum(wide, 0), sum(half * 2.0, 1), max(x, 0), sum(n)};
  };
  std::vector<std::vector<double>> eager, waiting;
  const auto keep = [](std::vector<std::vector<double>>& out, const std::vector<Array>& results) {
    for (const Array& r : results) out.push_back(to_host(r).to_vector<double>());
  };
  {
    const deferred::EagerMode mode;
    keep(eager, expression());
  }
  for (const auto order : {cuda::emulation::Order::forward, cuda::emulation::Order::shuffled}) {
    cuda::emulation::set_order(order, 3);
    waiting.clear();
    const deferred::Statistics before = deferred::statistics();
    const std::vector<Array> results = expression();
    EXPECT(deferred::statistics().waiting > before.waiting);
    keep(waiting, results);
    EXPECT(waiting == eager);
  }
  cuda::emulation::set_order(cuda::emulation::Order::forward);
}

TEST(reductions_of_any_length) {
  for (const int64_t n : {0, 1, 31, 256, 257, 5000})
    for (const int axis : {0, 1}) {
      const Array a = random::RandomState(3).randn(axis == 0 ? Shape{n, 7} : Shape{7, n}), b = a.to_device(emulated());
      EXPECT_CLOSE(to_host(sum(b, axis)), sum(a, axis), {.atol = 1e-12, .rtol = 1e-12});
      EXPECT_CLOSE(to_host(prod(b, axis)), prod(a, axis), {.atol = 1e-12, .rtol = 1e-12});
      if (n == 0) continue;
      EXPECT(to_host(max(b, axis)).to_vector<double>() == max(a, axis).to_vector<double>());
      EXPECT(to_host(argmin(b, axis)).to_vector<int>() == argmin(a, axis).to_vector<int>());
    }
  const double nan = std::nan("");
  const Array c = array({3., nan, 5., nan, 5.}).to_device(emulated());
  EXPECT_EQ(to_host(argmax(c, 0)).item<int>(), 1);
  EXPECT(std::isnan(to_host(max(c)).item<double>()));
  EXPECT_EQ(to_host(argmax(array({1., 5., 5.}).to_device(emulated()), 0)).item<int>(), 1);
}

// Long reductions are computed in parts. Every operation, over any axes of arrays with any order of axes in memory.
TEST(reductions_in_parts) {
  random::RandomState r(8);
  const auto pick = [&](int64_t n) { return r.randint(0, n, {}).item<int64_t>(); };
  const Shape shapes[] = {{40000}, {3, 9000}, {9000, 3}, {1, 7000, 2}, {300, 70}, {6, 50, 90}, {17, 1, 130, 5}};
  for (int n = 0; n < 24; ++n) {
    const Shape s = shapes[static_cast<std::size_t>(pick(std::ssize(shapes)))];
    const Dtype dtype = std::array{float32, float64, int32, float16, bool_}[static_cast<std::size_t>(pick(5))];
    Array a = (r.randn(s) * 3.0).astype(dtype);
    Dims axes;
    for (int d = 0; d < s.ndim(); ++d) axes.push_back(d);
    for (int d = s.ndim() - 1; d > 0; --d) std::swap(axes[d], axes[pick(d + 1)]);
    a = a.transpose(axes);
    if (pick(2)) a = a[{Slice({}, {}, -1)}];
    Dims reduced;
    for (int d = 0; d < a.ndim(); ++d)
      if (pick(2)) reduced.push_back(d);
    const Array b = a.to_device(emulated());
    const double tolerance = dtype == float16 ? 1e-2 : dtype == float32 ? 1e-5 : 1e-12;
    EXPECT_CLOSE(to_host(sum(b, reduced)).astype(float64), sum(a, reduced).astype(float64),
                 {.atol = tolerance * 100, .rtol = tolerance});
    if (dtype == bool_) continue;
    for (const bool largest : {false, true})
      EXPECT(to_host(largest ? max(b, reduced) : min(b, reduced)).to_vector<double>() ==
             (largest ? max(a, reduced) : min(a, reduced)).to_vector<double>());
    const int axis = static_cast<int>(pick(a.ndim()));
    EXPECT(to_host(argmax(b, axis)).to_vector<int>() == argmax(a, axis).to_vector<int>());
    EXPECT(to_host(argmin(b.ravel(), 0)).to_vector<int>() == argmin(a.ravel(), 0).to_vector<int>());
  }
  Array with_nan = zeros({100000}, float32);
  with_nan[{70000}].fill(std::nan("")), with_nan[{90000}].fill(std::nan(""));
  EXPECT(std::isnan(to_host(min(with_nan.to_device(emulated()))).item<float>()));
  EXPECT_EQ(to_host(argmin(with_nan.to_device(emulated()), 0)).item<int>(), 70000);
}

// Arrays with more elements than a launch takes.
TEST(operations_in_several_launches) {
  struct Fewer {
    const int64_t before = std::exchange(cuda::most_elements, 100);
    ~Fewer() { cuda::most_elements = before; }
  } const fewer;
  random::RandomState r(9);
  for (const Shape& s : {Shape{1001}, {7, 43}, {3, 1, 230}, {2, 300, 3}}) {
    const Array a = r.randn(s), b = a.to_device(emulated());
    const auto expect_same = [](const Array& got, const Array& want) {
      EXPECT_CLOSE(to_host(got), want, {.atol = 1e-12, .rtol = 1e-12});
    };
    const auto formula = [](const Array& x) { return exp(x * 0.5) - x[{Slice({}, {}, -1)}] * 2.0 + x[{Slice(0, 1)}]; };
    expect_same(formula(b), formula(a));
    expect_same(full(s, 3.0, float64, emulated()), full(s, 3.0, float64));
    for (int axis = 0; axis < s.ndim(); ++axis)
      for (const bool keeps : {false, true}) {
        expect_same(sum(b, {axis}, keeps), sum(a, {axis}, keeps));
        expect_same(max(b, {axis}, keeps), max(a, {axis}, keeps));
        EXPECT(to_host(argmax(b, axis)).to_vector<int>() == argmax(a, axis).to_vector<int>());
      }
    expect_same(sum(b), sum(a));
    expect_same(min(exp(b)), min(exp(a)));
    const auto updated = [&](const Device& d) {
      L::Parameter model(a.to_device(d).copy());
      model.W.set_grad(model.W.array() * 0.1);
      optimizers::Adam optimizer;
      optimizer.setup(model);
      optimizer.update();
      return model.W.array();
    };
    expect_same(updated(emulated()), updated(Device()));
  }
}

// Short and long rows, next to each other in memory or not.
TEST(cumulative_sums_of_any_axis) {
  random::RandomState r(10);
  for (const Shape& s : {Shape{1}, {700}, {300, 2}, {2, 300}, {3, 70, 5}, {2, 5000}, {5000, 2}, {20, 300}})
    for (const Dtype dtype : {float32, float64, int32})
      for (int axis = 0; axis < s.ndim(); ++axis) {
        const Array a = (r.randn(s) * 3.0).astype(dtype);
        const Array x = s.ndim() > 1 ? a[{Slice({}, {}, -1)}] : a;
        EXPECT_CLOSE(to_host(cumsum(x.to_device(emulated()), axis)).astype(float64), cumsum(x, axis).astype(float64),
                     {.atol = dtype == float32 ? 1e-2 : 1e-10, .rtol = 1e-5});
        const Array near = (x.astype(float64) * 0.01 + 1.0);
        EXPECT_CLOSE(to_host(cumprod(near.to_device(emulated()), axis)), cumprod(near, axis),
                     {.atol = 1e-10, .rtol = 1e-10});
      }
}

// The library does not compute products of integers and of stacks.
TEST(products_without_a_library) {
  for (const auto& [m, k, n] : {std::array<int64_t, 3>{1, 1, 1}, {17, 33, 20}, {16, 0, 3}, {40, 16, 1}}) {
    const Array a = (arange(3 * m * k) % 11 - 5).reshape({3, m, k}), b = (arange(3 * k * n) % 7 - 3).reshape({3, k, n});
    const Array c = to_host(matmul(a.to_device(emulated()), b.to_device(emulated())));
    EXPECT(c.to_vector<double>() == matmul(a.astype(float64), b.astype(float64)).to_vector<double>());
  }
}

// Rows that occur several times are added in order, which gives the same bits as on the host.
TEST(rows_are_added_in_order) {
  random::RandomState r(5);
  const Array x = r.randn({40, 6}).astype(float32), g = r.randn({3000, 6}).astype(float32);
  const Array ids = r.randint(0, 40, {3000});
  const auto gradient = [&](const Device& d) {
    Variable w(x.to_device(d));
    Variable y = F::embed_id(ids.to_device(d), w);
    y.set_grad(g.to_device(d));
    y.backward();
    return to_host(w.grad()).to_vector<float>();
  };
  EXPECT(gradient(emulated()) == gradient(Device()));
}
// Rows of any width and dtype, added to or replaced in a table: each once, up to 32 times, and more often.
TEST(rows_that_occur_any_number_of_times) {
  random::RandomState r(6);
  for (const Dtype dtype : {float32, float64, float16, bfloat16, int64, int32})
    for (const int64_t width : {1, 3, 8, 9, 40})
      for (const auto& [n, table] : {std::array<int64_t, 2>{400, 2}, {400, 60}, {400, 5000}, {32, 7}, {1, 1}}) {
        const Array values = (r.randn({n, width}) * 10.0).astype(dtype), ids = r.randint(0, table, {n});
        const Array first = zeros({table, width}, dtype) - (r.randn({table, width}) * 10.0).astype(dtype);
        for (const bool accumulate : {false, true}) {
          const auto result = [&](const Device& d) {
            Array out = first.copy().to_device(d);
            d.backend().scatter_rows(out, ids.to_device(d), values.to_device(d), accumulate);
            return to_host(out).to_vector<double>();
          };
          EXPECT(result(emulated()) == result(Device()));
        }
      }
}

TEST(an_axis_of_no_elements_has_no_rows) {
  const Array x = zeros({0, 1000}).to_device(emulated()), index = array(std::vector<int64_t>{0, 0, 0}),
              before = full({5000}, 7.f).to_device(emulated());
  EXPECT_THROW(IndexError, "0", to_host(take(x, index.to_device(emulated()), 0)));
  Array changed = x.copy();
  EXPECT_THROW(IndexError, "0", add_at(changed, {index.to_device(emulated())}, ones({3, 1000}).to_device(emulated())));
  EXPECT(!any(to_host(before) != 7.f).item<bool>());
}

TEST(scans_of_as_many_axes_as_an_array_can_have) {
  Shape shape(std::vector<int64_t>(10, 1));
  shape[3] = 5, shape[9] = 4;
  const Array x = random::uniform(0.5, 1, shape);
  for (const int axis : {0, 3, 9}) {
    EXPECT_CLOSE(to_host(cumsum(x.to_device(emulated()), axis)), cumsum(x, axis), {.rtol = 1e-12});
    EXPECT_CLOSE(to_host(cumprod(x.to_device(emulated()), axis)), cumprod(x, axis), {.rtol = 1e-12});
  }
}

// As on the host: integers that do not hold a number keep its last bits.
TEST(numbers_that_integers_do_not_hold) {
  const double inf = INFINITY;
  const Array wide = array({3e9, -3e9, 70000.75, -1., -129.5, 1e18, 1e19, -1e19, 300., inf, -inf, double(NAN)});
  for (const Dtype from : {float64, float32, bfloat16, float16})
    for (const Dtype to : {int8, uint8, int16, int32, int64, bool_}) {
      const Array x = wide.astype(from);
      EXPECT(to_host(x.to_device(emulated()).astype(to)).to_vector<int64_t>() == x.astype(to).to_vector<int64_t>());
    }
}

TEST(polygamma_of_large_negative_numbers) {
  const Array x = array({-100000.5, -1e6 - 0.25, -0.5, -1., 0.25});
  const Variable n(ones({5}, int32)), there(ones({5}, int32).to_device(emulated()));
  EXPECT_CLOSE(to_host(F::polygamma(there, Variable(x.to_device(emulated()))).array()),
               F::polygamma(n, Variable(x)).array(), {.rtol = 1e-9});
}
