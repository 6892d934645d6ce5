// SPDX-License-Identifier: MIT
// Functions whose loops depend on lengths (windows, rows, adjacent lines), at many lengths: the host's kernels against
// the composed forms on the reference device, forward and backward.
#include <chainer/array/host.h>
#include <chainer/chainer.h>

#include <cmath>

#include "test.h"

using namespace chainer;

namespace loops {

using V = const Variables&;

Arrays outcome(const std::function<Variables(V)>& f, const Arrays& in, const Device& device) {
  Variables xs;
  for (const Array& a : in) xs.push_back(Variable(a.to_device(device), is_floating(a.dtype())));
  const Variables ys = f(xs);
  Arrays out;
  random::RandomState r(5);
  Variables gys, sources;
  for (const Variable& y : ys) {
    out.push_back(to_host(y.array()));
    gys.push_back(Variable(r.randn(y.shape()).astype(y.dtype()).to_device(device), false));
  }
  for (const Variable& x : xs)
    if (x.requires_grad()) sources.push_back(x);
  if (ys[0].requires_grad())
    for (const Variable& g : grad(ys, sources, {.grad_outputs = gys})) out.push_back(to_host(g.array()));
  return out;
}

// Compares float64, in which both agree to rounding, and float32.
void compare(const std::string& name, const std::function<Variables(V)>& f, const Arrays& in) {
  static const Device reference = get_device("@reference");
  for (const Dtype d : {float64, float32}) {
    Arrays typed;
    for (const Array& a : in) typed.push_back(is_floating(a.dtype()) ? a.astype(d) : a);
    ++test::expectations;
    try {
      const Arrays here = outcome(f, typed, Device()), there = outcome(f, typed, reference);
      const double tolerance = d == float64 ? 1e-10 : 2e-4;
      for (std::size_t i = 0; i < here.size(); ++i)
        testing::assert_allclose(here[i], there[i], {.atol = tolerance, .rtol = tolerance});
    } catch (const std::exception& e) { test::fail(__FILE__, __LINE__, text(name, ", ", d, ": ", e.what())); }
  }
}

Array normal(const Shape& s) {
  static random::RandomState r(23);
  return r.randn(s);
}

}  // namespace loops

using namespace loops;

TEST(pooling_of_many_sizes) {
  for (const int64_t k : {2, 3, 4, 5, 8, 9}) {
    for (const int64_t length : {k, 2 * k + 1, 70 + k}) {
      const Array image = normal({2, 3, length, length + 1}), line = normal({2, 2, 2 * length});
      const Array few = normal({2, 3, 5, 7}), volume = normal({1, 2, k, k + 1, 2 * k});
      const std::string at = text(", windows of ", k, " on ", length);
      for (const bool covers : {false, true}) {
        compare("max_pooling" + at, [=](V x) { return Variables{F::max_pooling_2d(x[0], k, {.cover_all = covers})}; },
                {image});
        compare("unpooling" + at, [=](V x) { return Variables{F::unpooling_2d(x[0], k, {.cover_all = covers})}; },
                {few});
      }
      compare("average_pooling" + at, [=](V x) { return Variables{F::average_pooling_2d(x[0], k)}; }, {image});
      compare("average_pooling 1d" + at, [=](V x) { return Variables{F::average_pooling_1d(x[0], k)}; }, {line});
      compare("average_pooling 3d" + at, [=](V x) { return Variables{F::average_pooling_3d(x[0], k)}; }, {volume});
      compare("upsampling" + at,
              [=](V x) { return Variables{F::upsampling_2d(x[0], to_host(x[1].array()), k, {.cover_all = false})}; },
              {few, random::RandomState(3).randint(0, k * k, few.shape())});
    }
  }
}

// NaN is kept and the first maximum is chosen, also in windows that are processed by vectors.
TEST(max_pooling_of_large_windows_keeps_nan_and_the_first_of_equal_ones) {
  Array x = zeros({1, 1, 32, 64}, float32);
  x.set({0, 0, 3, 40}, 2);
  x.set({0, 0, 5, 33}, 2);
  x.set({0, 0, 20, 10}, NAN);
  x.set({0, 0, 7, 31}, INFINITY);
  Array indices;
  const Array y = F::max_pooling_2d(x, 32, {.return_indices = &indices}).array();
  EXPECT(std::isnan(y.to_vector<double>()[0]) && y.to_vector<double>()[1] == 2);
  EXPECT(indices.to_vector<int64_t>() == std::vector<int64_t>({20 * 32 + 10, 3 * 32 + 8}));
}

TEST(rows_of_many_lengths) {
  for (const int64_t n : {1, 2, 7, 31, 32, 33, 65, 511, 513, 1500}) {
    const Array x = normal({5, n}), g = normal({n}), b = normal({n});
    const std::string at = text(" of ", n);
    compare("softmax" + at, [](V v) { return Variables{F::softmax(v[0])}; }, {x});
    compare("log_softmax" + at, [](V v) { return Variables{F::log_softmax(v[0])}; }, {x});
    compare("layer_normalization" + at, [](V v) { return Variables{F::layer_normalization(v[0], v[1], v[2])}; },
            {x * 3, g, b});
    compare("cumprod" + at, [](V v) { return Variables{F::cumprod(v[0], 1)}; }, {x * 0.1 + 1});
    compare("cumprod, axis 0" + at, [](V v) { return Variables{F::cumprod(v[0], 0)}; }, {x});
    compare("prod" + at, [](V v) { return Variables{F::prod(v[0], 1)}; }, {x * 0.1 + 1});
    compare("huber_loss" + at, [](V v) { return Variables{F::huber_loss(v[0], v[1], 0.7)}; }, {x, normal({5, n})});
    compare("flip" + at, [](V v) { return Variables{F::flip(v[0], 1)}; }, {x});
    compare("argmax" + at, [](V v) { return Variables{F::argmax(v[0], 1), F::argmin(v[0], 0)}; }, {x});
    for (const int64_t k : {2, 3, 4, 5})
      compare(text("maxout by ", k, at), [k](V v) { return Variables{F::maxout(v[0], k)}; }, {normal({4, n * k})});
  }
  for (const int64_t groups : {1, 2, 3, 6})
    for (const Shape& s : {Shape{2, 6}, Shape{40, 6}, Shape{3, 6, 5}, Shape{2, 6, 7, 33}}) {
      const Array x = normal(s) + 2, g = normal({6}), b = normal({6});
      compare(text("group_normalization by ", groups, " of ", s),
              [=](V v) { return Variables{F::group_normalization(v[0], groups, v[1], v[2])}; }, {x, g, b});
      compare(text("fixed_batch_normalization of ", s),
              [&](V v) {
                const auto constant = [&](const Array& a) { return Variable(a.to_device(v[0].device()), false); };
                const Array mean = g.astype(v[0].dtype()), var = exp(b).astype(v[0].dtype());
                return Variables{F::fixed_batch_normalization(v[0], v[1], v[2], constant(mean), constant(var))};
              },
              {x, g, b});
    }
}

TEST(argmax_of_equal_ones_and_nan) {
  for (const int64_t n : {3, 64, 65, 130, 1000}) {
    Array x = zeros({1, n}, float32);
    EXPECT(F::argmax(x, 1).array().item<int64_t>() == 0 && F::argmin(x, 1).array().item<int64_t>() == 0);
    x.set({0, n - 1}, 1);
    EXPECT_EQ(F::argmax(x, 1).array().item<int64_t>(), n - 1);
    x.set({0, n - 2}, NAN);
    EXPECT_EQ(F::argmax(x, 1).array().item<int64_t>(), n - 2);
    EXPECT_EQ(F::argmin(x, 1).array().item<int64_t>(), n - 2);
    x.set({0, 1}, NAN);
    EXPECT_EQ(F::argmin(x, 1).array().item<int64_t>(), 1);
    x.set({0, 0}, NAN);
    EXPECT_EQ(F::argmax(x, 1).array().item<int64_t>(), 0);
  }
}

TEST(sequences_and_points_of_many_sizes) {
  compare("transpose_sequence", [](V x) { return F::transpose_sequence(x); },
          {normal({4, 2, 3}), normal({4, 2, 3}), normal({2, 2, 3}), normal({1, 2, 3}), normal({0, 2, 3})});
  EXPECT(F::transpose_sequence({zeros({0, 2}), zeros({0, 2})}).empty());
  EXPECT_THROW(ValueError, "2 follows 0", F::transpose_sequence({zeros({0, 2}), zeros({2, 2})}));
  for (const int64_t n : {3, 20, 30}) {
    const Array grid = random::RandomState(2).uniform(-1.2, 1.2, {2, 2, n, n});
    compare(text("spatial_transformer_sampler, ", n),
            [](V x) { return Variables{F::spatial_transformer_sampler(x[0], x[1])}; },
            {normal({2, 3, n, n + 1}), grid});
  }
}

TEST(the_gradient_of_prod_is_as_large_as_it_is) {
  // The product of the other elements is 1. It and the gradient fit into float32, the gradient times the whole product
  // does not.
  const Variable x(array({1e29f, 1.f}));
  Variable y = F::prod(x);
  y.set_grad(array(1e20f));
  y.backward();
  EXPECT_CLOSE(x.grad()[0], array(1e20f), {.atol = 0, .rtol = 1e-6});
}
