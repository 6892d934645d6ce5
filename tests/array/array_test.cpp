// SPDX-License-Identifier: MIT
#include <chainer/chainer.h>

#include <limits>

#include "chainer/array/backend.h"
#include "chainer/routines/npy.h"
#include "chainer/core/parallel.h"
#include <chainer/testing/testing.h>

#include <algorithm>
#include "chainer/core/sanitizer.h"
#include "test.h"

using namespace chainer;
using testing::assert_allclose;

namespace {
bool same(const Array& a, const Array& b) {
  return a.shape() == b.shape() && a.dtype() == b.dtype() && all(equal(a, b)).item<bool>();
}
}  // namespace

TEST(promotion) {
  EXPECT_EQ(promote(int8, uint8), int16);
  EXPECT_EQ(promote(int32, float32), float64);
  EXPECT_EQ(promote(int16, float16), float32);
  EXPECT_EQ(promote(int8, float16), float16);
  EXPECT_EQ(promote(bool_, int8), int8);
  EXPECT_EQ(promote(float16, bfloat16), float32);
  EXPECT_EQ((array({1, 2}) + 0.5).dtype(), float64);
  EXPECT_EQ((array({1.f, 2.f}) + 0.5).dtype(), float32);
  EXPECT_EQ((array({1, 2}) / 2).dtype(), float64);
  EXPECT_EQ((array({1.f}) < 2).dtype(), bool_);
  EXPECT_EQ(sum(array({1, 2})).dtype(), int64);
  EXPECT_THROW(TypeError, "unknown dtype", parse_dtype("float31"));
}

TEST(half_precision_rounds_to_nearest_even) {
  const std::pair<float, float> cases[] = {{1.f, 1.f},
                                           {65504.f, 65504.f},
                                           {65519.f, 65504.f},
                                           {65520.f, INFINITY},
                                           {1e-7f, 0x1p-23f},
                                           {6.1e-5f, 0x1.ff8p-15f},
                                           {0x1p-24f, 0x1p-24f},
                                           {0x1p-25f, 0.f},
                                           {0x1.8p-24f, 0x1p-23f},
                                           {1.0009765f, 0x1.004p0f},
                                           {0x1.002p0f, 1.f},
                                           {-2.5f, -2.5f}};
  for (const auto& [f, expected] : cases) EXPECT_EQ(array({f}).astype(float16).astype(float32).item<float>(), expected);
  EXPECT_EQ(array({1.00390625f}).astype(bfloat16).astype(float32).item<float>(), 1.f);
  EXPECT(std::isnan(array({NAN}).astype(float16).astype(float32).item<float>()));
}

// An integer that does not fit the array's dtype widens the result, as in NumPy, instead of wrapping around.
TEST(integers_beyond_a_dtype_widen_it) {
  const Array a = array({0, 5, 255}).astype(uint8);
  EXPECT(same(a < -4, array({false, false, false})));
  EXPECT(same(-1 <= a, array({true, true, true})));
  EXPECT(same(a == 261, array({false, false, false})));
  EXPECT(same(a / -2, array({0., -2.5, -127.5})));
  EXPECT(same(minimum(a, -3), array<int16_t>({-3, -3, -3})));
  EXPECT(same(a + 300, array<int16_t>({300, 305, 555})));
  EXPECT(same(a - 5, array<uint8_t>({251, 0, 250})));  // 5 fits: uint8 wraps
  EXPECT_EQ((a + 255).dtype(), uint8);
  EXPECT_EQ((a + 100000).dtype(), int32);
  EXPECT_EQ((a.astype(int8) + 200).dtype(), int16);
  EXPECT_EQ((a.astype(int32) + (int64_t{1} << 31)).dtype(), int64);
  EXPECT_EQ((a.astype(int32) + -(int64_t{1} << 31)).dtype(), int32);
  EXPECT_EQ((a.astype(int64) + INT64_MIN).dtype(), int64);
  Array b = a.copy();
  EXPECT_THROW(TypeError, "int16", b += -1);
}

TEST(integers_have_no_negative_powers) {
  EXPECT(same(power(array({2, 3}), array({0, 3})), array({1, 27})));
  EXPECT_THROW(ValueError, "negative integers", power(array({2, 3}), array({1, -1})));
  EXPECT_THROW(ValueError, "negative integers", power(array({2, 3}), -1));
  EXPECT_THROW(ValueError, "negative integers", power(2, array({2, -3})));
  EXPECT(same(power(array({2., 4.}), -1), array({0.5, 0.25})));
}

TEST(basic_indexing_makes_views) {
  Array a = arange(24).reshape({2, 3, 4});
  EXPECT_EQ((a[{1, 2, 3}]).item<int>(), 23);
  EXPECT_EQ((a[{-1, Slice(0, 2)}]).shape(), (Shape{2, 4}));
  EXPECT_EQ((a[{ellipsis, 0}]).shape(), (Shape{2, 3}));
  EXPECT_EQ((a[{0, newaxis, Slice(std::nullopt, std::nullopt, -2)}]).shape(), (Shape{1, 2, 4}));
  Array row = a[0];
  row.set({0, 0}, 100);
  EXPECT_EQ((a[{0, 0, 0}]).item<int>(), 100);
  EXPECT_THROW(IndexError, "out of bounds", a[2]);
  EXPECT_THROW(IndexError, "too many indices", (a[{0, 0, 0, 0}]));
  EXPECT_THROW(IndexError, "single ellipsis", (a[{ellipsis, ellipsis}]));
}

TEST(advanced_indexing_follows_numpy) {
  const Array a = arange(24).reshape({2, 3, 4});
  EXPECT(same((a[{Slice(), array({0, 2})}]), stack({a[{Slice(), 0}], a[{Slice(), 2}]}, 1)));
  EXPECT(same((a[{array({0, 1}), Slice(), array({3, 1})}]), stack({a[{0, Slice(), 3}], a[{1, Slice(), 1}]})));
  EXPECT_EQ((a[{Slice(), array({0, 2}), array({1, 1})}]).shape(), (Shape{2, 2}));
  EXPECT_EQ((a[{array({0}), newaxis, array({1})}]).shape(), (Shape{1, 1, 4}));
  EXPECT_EQ((a[{0, Slice(), array({1, 2})}]).shape(), (Shape{2, 3}));
  EXPECT(same(a[a > 20], array<int64_t>({21, 22, 23})));
  EXPECT(same((a[{array({-1, 0}), 0, 0}]), array<int64_t>({12, 0})));
  // Several masks are combined like their index arrays; a mask without axes keeps all or nothing, with a new axis in
  // front.
  const Array yes = array({true, true}), some = array({true, false, true});
  EXPECT(same((a[{yes, some, 1}]), array<int64_t>({1, 21})));
  EXPECT(same((a[{Slice(), some, array({true, false, false, true})}]), a[{Slice(), array({0, 2}), array({0, 3})}]));
  EXPECT(same(a[full({}, true, bool_)], a[newaxis]));
  EXPECT_EQ(a[full({}, false, bool_)].shape(), (Shape{0, 2, 3, 4}));
  EXPECT_THROW(IndexError, "out of bounds", (a[{Slice(), array({3})}]));
  EXPECT_THROW(IndexError, "boolean index", a[array({true, false, true}).astype(bool_)]);
  EXPECT_THROW(IndexError, "integer or boolean", a[array({0.5})]);
}

TEST(assignment_through_indices) {
  Array a = zeros({3, 4}, int32);
  a.set({Slice(0, 2), 1}, 5);
  a.set(array({2, 0}), array({{1, 2, 3, 4}, {5, 6, 7, 8}}));
  EXPECT(same(a, array({{5, 6, 7, 8}, {0, 5, 0, 0}, {1, 2, 3, 4}})));
  a.set(a > 4, -1);
  EXPECT_EQ(sum(a).item<int>(), -1 * 5 + 10);
  a.set({Slice(), array({0, 3})}, 9);  // a view that is not contiguous
  EXPECT(same((a[{Slice(), 0}]), array({9, 9, 9})));
  Array s = arange(5);
  s.set({Slice(1, 5)}, s[Slice(0, 4)]);  // overlapping memory
  EXPECT(same(s, array<int64_t>({0, 0, 1, 2, 3})));
  Array counts = zeros({3}, float32);
  add_at(counts, {array({0, 2, 0})}, array({1.f, 1.f, 1.f}));
  EXPECT(same(counts, array({2.f, 0.f, 1.f})));
  EXPECT_THROW(DimensionError, "", a.set({0}, array({1, 2})));
  a.set({0, 0}, array({{7}}));  // leading axes of length one are ignored
  EXPECT_EQ((a[{0, 0}]).item<int>(), 7);
}

TEST(in_place_operators_read_before_they_write) {
  Array a = arange(9).reshape({3, 3}).astype(float32);
  const Array expected = a + a.T();
  a += a.T();
  EXPECT(same(a, expected));
  Array i = array({1, 2});
  EXPECT_THROW(DtypeError, "in-place add: the result has dtype float64, which an array of int", i += array({0.5}));
  EXPECT_THROW(DtypeError, "write a = a * b", i *= 0.5);
  EXPECT_THROW(DtypeError, "float64", i -= 1.0);
  EXPECT_THROW(DtypeError, "float64", i /= 2);  // a quotient of integers is not an integer
  EXPECT_THROW(DtypeError, "float64", i /= i);
  i *= 3;
  i -= array({1, 1});
  Array small = array({1, 2}).astype(int32), flags = array({true, false}), bytes = array({1, 2}).astype(uint8);
  small += array({1, 1}).astype(int64);  // of the same kind
  EXPECT_CLOSE(small, array({2, 3}).astype(int32));
  EXPECT_THROW(DtypeError, "bool cannot hold", flags += 1);
  EXPECT_THROW(DtypeError, "uint8 cannot hold", bytes += small);
  bytes += 1;
  EXPECT_THROW(TypeError, "not defined for bool", flags -= flags);
  flags += array({true, true});
  EXPECT(flags.to_vector<int>() == (std::vector<int>{1, 1}));
  flags *= array({false, true});
  EXPECT(flags.to_vector<int>() == (std::vector<int>{0, 1}));
  EXPECT_THROW(DimensionError, "does not fit", i += array({{1, 2}, {3, 4}}));
}

TEST(reshape_and_transpose) {
  const Array a = arange(24).reshape({2, 3, 4});
  EXPECT(&a.reshape({6, -1}).body().owner() == &a.body().owner());
  const Array t = a.transpose({2, 0, 1});
  EXPECT_EQ(t.shape(), (Shape{4, 2, 3}));
  EXPECT(&t.reshape({4, 6}).body().owner() == &a.body().owner());  // still a view
  EXPECT(same(t.reshape({24})[Slice(0, 3)], array<int64_t>({0, 4, 8})));
  EXPECT(same(a.T().T(), a));
  EXPECT_THROW(DimensionError, "cannot reshape", a.reshape({5, 5}));
  EXPECT_THROW(ValueError, "do not match", a.transpose({0, 1}));
  // Elementwise results keep the memory order of their input.
  EXPECT_EQ(exp(t.contiguous().astype(float32).transpose({1, 2, 0})).strides(), (Strides{3, 1, 6}));
}

TEST(broadcasting) {
  const Array a = array({{1.f}, {2.f}}), b = array({10.f, 20.f, 30.f});
  EXPECT(same(a + b, array({{11.f, 21.f, 31.f}, {12.f, 22.f, 32.f}})));
  EXPECT(same(where(a > 1, b, 0.f * b), array({{0.f, 0.f, 0.f}, {10.f, 20.f, 30.f}})));
  EXPECT_EQ((zeros({0, 3}) + ones({1, 3})).shape(), (Shape{0, 3}));
  EXPECT_THROW(DimensionError, "(2, 1) and (3, 2)", a + zeros({3, 2}));
}

TEST(layouts_give_the_same_results) {
  const Array base = random::RandomState(1).randn({6, 7, 8});
  for (Dtype d : {float16, float32, float64, bfloat16, int32, uint8}) {
    const Array x = (base * 5 + (d == uint8 ? 30 : 0)).astype(d);
    const Array views[] = {x, x.T(), x[{Slice(0, 6, 2), Slice(), Slice(7, std::nullopt, -1)}],
                           broadcast_to(x[{Slice(0, 1)}], {4, 7, 8})};
    for (const Array& v : views) {
      const Array dense = v.copy();
      EXPECT(same((v + v).copy(), dense + dense));
      EXPECT(same(sum(v, 1), sum(dense, 1)) || is_floating(d));
      EXPECT_CLOSE(sum(v, {0, 2}), sum(dense, {0, 2}), {.rtol = 1e-3});
      EXPECT(same(max(v, 2), max(dense, 2)));
      EXPECT(same(min(v, {0, 1}), min(dense, {0, 1})));
      EXPECT(same(argmax(v, 0), argmax(dense, 0)));
    }
  }
}

TEST(reductions) {
  const Array a = array({{1., -2., 3.}, {4., 5., -6.}});
  EXPECT_CLOSE(sum(a), array(5.));
  EXPECT_CLOSE(sum(a, {0}, true), array({{5., 3., -3.}}));
  EXPECT_CLOSE(prod(a, 1), array({-6., -120.}));
  EXPECT_CLOSE(mean(a, 0), array({2.5, 1.5, -1.5}));
  EXPECT_CLOSE(var(a, 1), array({4.222222222, 24.66666667}));
  EXPECT_CLOSE(chainer::std(a), array(3.80423740));
  EXPECT_EQ(argmax(a).item<int>(), 4);
  EXPECT(same(argmin(a, 0), array<int64_t>({0, 0, 1})));
  EXPECT_EQ(count_nonzero(a > 0).item<int>(), 4);
  EXPECT(all(a < 6).item<bool>() && !all(a < 5).item<bool>() && any(a > 4).item<bool>());
  EXPECT_CLOSE(cumsum(a, 1), array({{1., -1., 2.}, {4., 9., 3.}}));
  EXPECT_CLOSE(cumprod(array({2., 3., 4.})), array({2., 6., 24.}));
  EXPECT_CLOSE(array(percentile(array({3., 1., 2., 4.}), {0, 50, 25})), array({1., 2.5, 1.75}));
  EXPECT_CLOSE(sum(zeros({0, 3}), 0), zeros({3}));
  EXPECT_THROW(ValueError, "zero-size", max(zeros({0, 3}), 0));
  EXPECT_THROW(IndexError, "out of bounds", sum(a, 2));
  EXPECT_THROW(ValueError, "given twice", sum(a, {0, -2}));
  EXPECT(std::isnan(max(array({1., std::nan(""), 2.})).item<double>()));
  EXPECT_EQ(argmax(array({1., std::nan(""), 2.})).item<int>(), 1);
  EXPECT_EQ(sum(array({true, true, false}).astype(bool_)).item<int>(), 2);
}

TEST(sums_are_accurate_and_do_not_depend_on_threads) {
  const Array x = full({3000001}, 0.1, float32);
  EXPECT(std::abs(sum(x).item<double>() - 300000.1) < 0.1);
  EXPECT(std::abs(sum(full({1000000, 3}, 0.1, float32), 0)[1].item<double>() - 100000) < 0.1);
  const Array r = random::RandomState(0).randn({1003, 517}, float32);
  const int threads = cpu::thread_count();
  cpu::set_thread_count(1);
  const Array one = sum(r, 0), whole = sum(r), rows = sum(r, 1);
  cpu::set_thread_count(3);
  EXPECT(same(sum(r, 0), one) && same(sum(r), whole) && same(sum(r, 1), rows));
  cpu::set_thread_count(threads);
}

TEST(joining_splitting_repeating) {
  const Array a = arange(6).reshape({2, 3});
  EXPECT_EQ(concatenate({a, a}, 0).shape(), (Shape{4, 3}));
  EXPECT_EQ(stack({a, a}, -1).shape(), (Shape{2, 3, 2}));
  EXPECT_EQ(array_split(arange(7), 3)[0].size(), 3);
  EXPECT(same(repeat(array({1, 2}), 2), array({1, 1, 2, 2})));
  EXPECT(same(tile(array({1, 2}), {2, 2}), array({{1, 2, 1, 2}, {1, 2, 1, 2}})));
  const Array once = array({1, 2});
  tile(once, {1}).fill(9);
  EXPECT(same(once, array({1, 2})));  // also then a copy
  EXPECT(same(flip(array({1, 2, 3}), 0), array({3, 2, 1})));
  EXPECT_EQ(moveaxis(zeros({2, 3, 4}), 0, -1).shape(), (Shape{3, 4, 2}));
  EXPECT_EQ(squeeze(zeros({1, 3, 1})).shape(), (Shape{3}));
  EXPECT_THROW(ValueError, "not of length one", squeeze(zeros({2, 3}), 0));
  EXPECT_THROW(DimensionError, "differ outside axis", concatenate({a, zeros({2, 4})}, 0));
  Array p = zeros({4});
  put(p, array({1, 3}), array({5.f, 6.f}));
  EXPECT(same(p, array({0.f, 5.f, 0.f, 6.f})));
  EXPECT(same(take(a, array({2, 0}), 1), array<int64_t>({{2, 0}, {5, 3}})));
}

TEST(sorting_and_unique) {
  EXPECT(same(sort(array({3., std::nan(""), 1., 2.}))[Slice(0, 3)], array({1., 2., 3.})));
  EXPECT(same(argsort(array({3, 1, 2})), array<int64_t>({1, 2, 0})));
  EXPECT(same(sort(array({{3, 1}, {2, 4}}), 0), array({{2, 1}, {3, 4}})));
  const Unique u = unique(array({5, 3, 5, 1}));
  EXPECT(same(u.values, array({1, 3, 5})) && same(u.inverse, array<int64_t>({2, 1, 2, 0})) &&
         same(u.counts, array<int64_t>({1, 1, 2})));
  EXPECT_EQ(nonzero(array({0, 3, 0, 4}))[0].to_vector<int>()[1], 3);
}

TEST(statistics_over_nan) {
  const double nan = std::nan("");
  std::vector<double> values;  // enough values for an invalid order to make a sort leave the array
  for (int i = 0; i < 3000; ++i) values.push_back(i % 3 ? nan : std::sin(i));
  const Array a = array(values);
  for (double q : percentile(a, {0, 50, 100})) EXPECT(std::isnan(q));
  EXPECT(std::isnan(max(a).item<double>()) && std::isnan(min(a).item<double>()));
  EXPECT(std::isnan(mean(a).item<double>()) && std::isnan(chainer::std(a).item<double>()));
  const Array ordered = sort(a), order = argsort(a);
  EXPECT(std::is_sorted(ordered.data<double>(), ordered.data<double>() + 1000));
  EXPECT(all(isnan(ordered[Slice(1000, 3000)])).item<bool>());
  EXPECT(all(isnan(a[order[Slice(1000, 3000)]])).item<bool>());
}

TEST(special_values_behave_as_numpys) {
  const Array x = array({0.f, -0.f, INFINITY, -INFINITY, NAN, 200.f, -200.f, 1e-40f});
  const std::vector<double> s = sigmoid(x).to_vector<double>();
  EXPECT(s[0] == 0.5 && s[2] == 1 && s[3] == 0 && std::isnan(s[4]) && s[5] == 1 && s[6] >= 0 && s[6] < 1e-38);
  const std::vector<double> e = exp(x).to_vector<double>();
  EXPECT(e[0] == 1 && std::isinf(e[2]) && e[3] == 0 && std::isnan(e[4]) && std::isinf(e[5]) && e[6] == 0);
  const std::vector<double> t = tanh(x).to_vector<double>();
  EXPECT(t[2] == 1 && t[3] == -1 && std::isnan(t[4]) && t[5] == 1 && std::signbit(t[1]));
  const std::vector<double> r = relu(x).to_vector<double>();
  EXPECT(r[2] == HUGE_VAL && r[3] == 0 && std::isnan(r[4]) && r[6] == 0);
  EXPECT(std::isnan(maximum(array({NAN}), array({1.})).item<double>()) &&
         std::isnan(maximum(array({1.}), array({NAN})).item<double>()));
  EXPECT(std::isinf((array({1.}) / array({0.})).item<double>()));
  EXPECT_EQ(floor_divide(array({-7, 7}), 2).to_vector<int>()[0], -4);
  EXPECT_EQ(remainder(array({-7., 7.}), -3.).to_vector<double>()[0], -1.);
  // Zeros have the signs of NumPy's.
  const auto minus = [](const Array& a) {
    std::vector<bool> out;
    for (const double v : a.to_vector<double>()) out.push_back(std::signbit(v));
    return out;
  };
  EXPECT(minus(remainder(array({-4., 4., 0.}), array({2., -2., -1.}))) == (std::vector<bool>{false, true, true}));
  EXPECT(minus(floor_divide(array({0., 0., -0., 1.}), array({-2., 2., 2., 3.}))) ==
         (std::vector<bool>{true, false, true, false}));
  EXPECT_EQ(floor_divide(array({5}), 0).item<int>(), 0);
  EXPECT_EQ(power(array<int64_t>({2, 3}), 10).to_vector<int>()[1], 59049);
  EXPECT_CLOSE(softplus(array({-100., 0., 100.})), array({3.720075976e-44, 0.693147181, 100.}),
               {.atol = 0, .rtol = 1e-6});
  EXPECT_THROW(TypeError, "bool", -array({true}).astype(bool_));
}

TEST(elementary_functions_are_accurate) {
  const Array x = linspace(-3, 3, 101), p = linspace(0.01, 5, 101), u = linspace(-0.99, 0.99, 101);
  const auto check = [](const Array& a, Array (*f)(const Array&), double (*g)(double)) {
    std::vector<double> expected;
    for (double v : a.to_vector<double>()) expected.push_back(g(v));
    EXPECT_CLOSE(f(a), array(expected), {.atol = 1e-14, .rtol = 1e-13});
    EXPECT_CLOSE(f(a.astype(float32)), array(expected), {.atol = 1e-5, .rtol = 2e-6});
  };
  check(x, chainer::exp, std::exp);
  check(x, chainer::expm1, std::expm1);
  check(p, chainer::log, std::log);
  check(p, chainer::log2, std::log2);
  check(p, chainer::log10, std::log10);
  check(p, chainer::log1p, std::log1p);
  check(x, chainer::sin, std::sin);
  check(x, chainer::cos, std::cos);
  check(u, chainer::tan, std::tan);
  check(u, chainer::arcsin, std::asin);
  check(u, chainer::arccos, std::acos);
  check(x, chainer::arctan, std::atan);
  check(x, chainer::sinh, std::sinh);
  check(x, chainer::cosh, std::cosh);
  check(x, chainer::tanh, std::tanh);
  check(x, chainer::erf, std::erf);
  check(x, chainer::erfc, std::erfc);
  check(p, chainer::sqrt, std::sqrt);
}

TEST(npy_round_trips) {
  for (Dtype d : {bool_, int8, int16, int32, int64, uint8, float16, float32, float64}) {
    const Array a = arange(6).reshape({2, 3}).astype(d);
    EXPECT(same(from_npy(to_npy(a)), a));
    EXPECT(same(from_npy(to_npy(a.T())), a.T().copy()));
  }
  const std::string good = to_npy(arange(3));
  EXPECT_THROW(FileError, "not an npy file", from_npy("hello world"));
  EXPECT_THROW(FileError, "truncated", from_npy(good.substr(0, good.size() - 1)));
  EXPECT_THROW(FileError, "truncated", from_npy(good.substr(0, 20)));
  EXPECT_THROW(FileError, "pickle", from_npy(make_npy_header("|O", {}) + "x"));
  std::string big = make_npy_header(">i4", {2}) + std::string("\0\0\1\0\0\0\0\2", 8);
  EXPECT(same(from_npy(big), array({256, 2})));
  std::string huge = make_npy_header("<f8", {1LL << 40, 1LL << 40}) + "12345678";
  EXPECT_THROW(FileError, "", from_npy(huge));
}

TEST(memory_is_recycled_and_counted) {
  memory::empty_cache();
  const auto before = memory::statistics();
  { Array a({1000, 1000}); }
  const auto between = memory::statistics();
  { Array a({1000, 1000}); }
  const auto after = memory::statistics();
  EXPECT_EQ(between.in_use, before.in_use);
  EXPECT(after.allocations == between.allocations + 1);
  if (!kSanitized) {
    EXPECT_EQ(after.system_requests, between.system_requests);
    EXPECT(after.cached >= 4000000);
  }
  EXPECT_THROW(DimensionError, "negative", Array({-1, 2}));
  EXPECT_THROW(MemoryError, "more than this machine's memory", Array({1LL << 30, 1LL << 30}));
}

TEST(wrong_handles_and_types_are_refused) {
  const Array none;
  EXPECT_THROW(TypeError, "handle is empty", none.shape());
  EXPECT_THROW(DtypeError, "accessed as float64", array({1.f}).data<double>());
  EXPECT_THROW(ValueError, "one element", array({1, 2}).item<int>());
  EXPECT_THROW(DimensionError, "at most 10", zeros(Shape{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_THROW(ValueError, "unequal length", array({{1, 2}, {3}}));
}

TEST(long_integers_are_counted_exactly) {
  const int64_t big = int64_t(1) << 53, most = std::numeric_limits<int64_t>::max(), least = -most - 1;
  EXPECT(arange(big, big + 3).to_vector<int64_t>() == (std::vector<int64_t>{big, big + 1, big + 2}));
  EXPECT(arange(big + 3, big, -2).to_vector<int64_t>() == (std::vector<int64_t>{big + 3, big + 1}));
  EXPECT(arange(most - 2, most).to_vector<int64_t>() == (std::vector<int64_t>{most - 2, most - 1}));
  EXPECT(arange(least, most, most).to_vector<int64_t>() == (std::vector<int64_t>{least, -1, most - 1}));
  EXPECT(arange(most, least, least).to_vector<int64_t>() == (std::vector<int64_t>{most, -1}));
  EXPECT_EQ(arange(3, 3).size(), 0);
  EXPECT_EQ(arange(3, 1).size(), 0);
  EXPECT_THROW(ValueError, "too many elements", arange(least, most));
}

TEST(slices_of_any_step) {
  const Array a = arange(5);
  const int64_t most = std::numeric_limits<int64_t>::max(), least = -most - 1;
  for (int64_t step : {most, most - 1, int64_t(5), int64_t(6)})
    EXPECT(a[Slice(1, {}, step)].to_vector<int>() == (std::vector<int>{1}));
  for (int64_t step : {least, least + 1, int64_t(-5)})
    EXPECT(a[Slice(3, {}, step)].to_vector<int>() == (std::vector<int>{3}));
  EXPECT(a[Slice(most, least, least)].to_vector<int>() == (std::vector<int>{4}));
  EXPECT_EQ(a[Slice(least, most, most)][0].item<int>(), 0);
  EXPECT_EQ(a[Slice(4, 2, most)].size(), 0);
  Array b = zeros({5});
  b.set(Slice(2, {}, most), 7);
  EXPECT(b.to_vector<int>() == (std::vector<int>{0, 0, 7, 0, 0}));
}

TEST(what_a_temporary_gives_lives_on) {
  const Variable x(ones({4}));
  const Array& a = (x * 2).array();
  const Array& b = F::exp(x).data();
  const Shape& s = (x * 2).reshape({2, 2}).shape();
  const Shape& t = ones({3, 5}).shape();
  const Array other = full({4}, 9);  // takes the freed memory, if there is any
  EXPECT(a.to_vector<int>() == (std::vector<int>{2, 2, 2, 2}));
  EXPECT_EQ(b[0].item<int>(), 2);
  EXPECT(s == (Shape{2, 2}) && t == (Shape{3, 5}));
}
