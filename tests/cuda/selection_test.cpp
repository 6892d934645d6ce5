// SPDX-License-Identifier: MIT
// Selection of elements on a device: index arrays, masks, sorting, permutations, largest elements; compared with the
// host, with the number of arrays that go through it.
#include <chainer/chainer.h>

#include <limits>
#include <string>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/array/positions.h"
#include "chainer/backend/cuda/emulation/emulation.h"
#include "emulated_number.h"
#include "test.h"

using namespace chainer;

namespace {

Array normal_for_selection(const Shape& s, uint32_t seed, Dtype d = float32) {
  return random::RandomState(seed).randn(s).astype(d);
}

// f(device) returns arrays, which must be equal to the host's in three orders of threads; `fetched` is the number of
// arrays that go from the device to the host in between.
template <class F>
void expect_equal_on_device(F&& f, int64_t fetched = 0) {
  using cuda::emulation::Order;
  const Arrays want = f(Device());
  for (const auto order : {Order::forward, Order::backward, Order::shuffled}) {
    cuda::emulation::set_order(order, 7);
    const int64_t before = transfers().to_host;
    const Arrays got = f(emulated_number(0));
    EXPECT_EQ(transfers().to_host - before, fetched);
    for (std::size_t i = 0; i < want.size(); ++i) {
      EXPECT_EQ(got[i].dtype(), want[i].dtype());
      EXPECT_CLOSE(to_host(got[i]), want[i], {.atol = 0, .rtol = 0});
    }
  }
  cuda::emulation::set_order(Order::forward);
}
std::string index_error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const IndexError& e) { return e.what(); }
  return "";
}

}  // namespace

TEST(index_arrays_select_on_the_device) {
  const Array a = normal_for_selection({6, 5, 4}, 1), rows = array({3, -1, 0, 3}), columns = array({{-5}, {4}, {0}});
  expect_equal_on_device([&](const Device& d) {
    const Array x = a.to_device(d), i = rows.to_device(d), j = columns.to_device(d), narrow = i.astype(int8);
    Array put = x.copy(), added = x.copy();
    put.set({Slice(), i}, 7);
    add_at(added, {i, j}, normal_for_selection({3, 4, 4}, 2).to_device(d));
    add_at(added, {narrow}, x[{Slice(0, 4)}]);
    return Arrays{x[{i}],
                  x[{Slice(), j}],
                  x[{i, j}],
                  x[{j, Slice(1, 3), narrow}],
                  x[{i, 2, rows}],
                  put,
                  added,
                  x[{i[{Slice(0, 0)}]}],
                  x[{i.reshape({2, 2}), ellipsis, i.reshape({2, 2})}]};
  });
  // Gradients, and functions that select by labels.
  expect_equal_on_device([&](const Device& d) {
    const Variable x(normal_for_selection({5, 7}, 3).to_device(d));
    const Array t = array({6, 0, 3, 3, 1}).to_device(d), order = array({4, 2, 0, 1, 3}).to_device(d);
    const Variable y = F::select_item(x, t), p = F::permutate(x, order), q = F::permutate(x, order, 0, {.inv = true});
    const Variable h = F::hinge(x, t, {.reduce = Reduction::no});
    F::sum(y * y).backward(), F::sum(p * q).backward(), F::sum(h).backward();
    return Arrays{y.array(), p.array(), q.array(), h.array(), x.grad()};
  });
}

TEST(wrong_index_arrays_are_an_error_at_the_next_wait) {
  const Device d = emulated_number(0);
  const Array a = normal_for_selection({3, 5}, 1), t = array({0, 4, -6, 5});
  const std::string here = index_error_of([&] { (void)a[{Slice(), t}]; });
  EXPECT_EQ(here, "index -6 is out of bounds for axis 1 with size 5");
  EXPECT_EQ(index_error_of([&] { (void)to_host(a.to_device(d)[{Slice(), t.to_device(d)}]); }), here);
  EXPECT_EQ(index_error_of([&] { (void)to_host(a.to_device(d)[{Slice(), array({-5, 4}).to_device(d)}]); }), "");
  const auto permuted = [&](const Array& order) {
    (void)to_host(F::permutate(Variable(a.to_device(d)), order.to_device(d)).array());
  };
  EXPECT_THROW(ValueError, "permutate: 1 is missing in the indices for an axis of length 3",
               permuted(array({0, 2, 2})));
  EXPECT_THROW(ValueError, "permutate: index 3 at position 1 is out of range", permuted(array({0, 3, 2})));
  EXPECT_THROW(ValueError, "permutate: 2 indices for an axis of length 3", permuted(array({0, 1})));
  permuted(array({2, 0, 1}));
}

TEST(masks_fetch_their_count_only) {
  for (const int64_t n : {0, 1, 2, 255, 256, 257, 1000, 70001}) {
    const Array a = normal_for_selection({n}, 1), b = normal_for_selection({n, 3}, 2);
    expect_equal_on_device(
        [&](const Device& d) {
          const Array x = a.to_device(d), y = b.to_device(d);
          return Arrays{x[{x > 0}], y[{x > 5}]};
        },
        n ? 2 : 0);
  }
  expect_equal_on_device(
      [&](const Device& d) {
        const Array x = normal_for_selection({4, 5, 6}, 3).to_device(d);
        Array put = x.copy();
        put.set({x > 0}, 9);
        const Arrays at = nonzero(x.transpose({2, 0, 1}) > 0.5);
        const Array mask = (x > 0)[{0}];
        return Arrays{put, at[0], at[1], at[2], x[{Slice(), mask}]};
      },
      3);
}

TEST(sorted_orders) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const Dtype dtype : {float32, float64, float16, int64, int8, bool_})
    for (const Shape& s : {Shape{0}, {1}, {2}, {3, 5}, {2, 0}, {1023}, {2, 1024}, {1025}, {3, 2049}, {5000}}) {
      Array a = (normal_for_selection(s, 1, float64) * 3).astype(dtype);
      if (is_floating(dtype) && s == Shape{5000}) {
        a[{17}].fill(nan), a[{4000}].fill(nan), a[{1}].fill(-inf), a[{2}].fill(inf), a[{3}].fill(-0.0);
      }
      expect_equal_on_device([&](const Device& d) {
        const Array x = a.to_device(d);
        return Arrays{sort(x), argsort(x), sort(x, 0), argsort(x, 0)};
      });
    }
  for (const int64_t n : {0, 1, 2, 3000})
    expect_equal_on_device(
        [&](const Device& d) {
          const Array x = (normal_for_selection({n, 2}, 4) * 10).astype(int32).to_device(d);
          const Unique u = unique(x);
          return Arrays{u.values, u.inverse, u.counts, unique(x.astype(float32)).values};
        },
        n ? 2 : 0);
}

// Rows of more than 16384 elements are scanned in parts.
TEST(long_scans) {
  for (const int64_t n : {16383, 16384, 16385, 24577, 100000})
    for (const int64_t inner : {1, 3}) {
      const Array whole = random::RandomState(1).randint(-9, 9, {2, n, inner});
      expect_equal_on_device([&](const Device& d) {
        const Array x = whole.to_device(d);
        return Arrays{cumsum(x, 1), cumsum(x.astype(float64), 1), cumprod(x.astype(int64), 1),
                      cumsum(x.transpose({1, 2, 0}), 0), positions_below(n, d)};
      });
      const Array small = normal_for_selection({n, inner}, 2, float64) * 1e-3 + 1.0;
      const Array want = cumprod(small, 0), got = to_host(cumprod(small.to_device(emulated_number(0)), 0));
      EXPECT_CLOSE(got / want, ones_like(want), {.atol = 1e-11, .rtol = 0});
    }
}

// Products of parts of a line leave the range of double where the running products do not.
TEST(running_products_are_finite_where_those_of_the_host_are) {
  std::vector<double> cycle(202, 1e3);  // from 1 to 1e-300, to 1e300, to 1
  cycle.front() = cycle.back() = 1e-300;
  for (const int64_t times : {1, 2, 41, 90})
    for (const int64_t inner : {1, 3}) {
      const int64_t n = times * 202;
      const Array one = array(cycle), x = Array(ones({times, 202}, float64) * one).reshape({n, 1}) * ones({1, inner});
      const Array want = cumprod(x, 0), got = to_host(cumprod(x.to_device(emulated_number(0)), 0));
      EXPECT_CLOSE(got / want, ones_like(want), {.atol = 1e-11, .rtol = 0});
      EXPECT(all(isfinite(got)).item<bool>());
    }
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const double special : {0.0, -0.0, infinity, -infinity, nan, 5e-324}) {
    Array x = ones({20000}, float64) * -1;
    x[{9000}].fill(special), x[{15000}].fill(-3);
    const Array got = to_host(cumprod(x.to_device(emulated_number(0)), 0));
    EXPECT_CLOSE(got, cumprod(x, 0), {.atol = 0, .rtol = 0});
    for (const Dtype dtype : {float32, float16, bfloat16})
      EXPECT_CLOSE(to_host(cumprod(x.astype(dtype).to_device(emulated_number(0)), 0)), cumprod(x.astype(dtype), 0), {});
  }
}

TEST(largest_elements) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Dtype dtype : {float32, float64, float16})
    for (const int64_t n : {1, 31, 33, 5000}) {
      Array values = normal_for_selection({n, 3}, 1, dtype);
      values[{n / 2, 1}].fill(nan);
      const Array index = random::RandomState(2).randint(0, 9, {n}), a = normal_for_selection({9, 3}, 3, dtype);
      expect_equal_on_device([&](const Device& d) {
        const Variable x(a.to_device(d)), y(values.to_device(d));
        return Arrays{F::scatter_max(x, {index.to_device(d)}, y).array()};
      });
    }
}
