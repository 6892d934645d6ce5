// SPDX-License-Identifier: MIT
// Random streams compared with NumPy (data/random.npz is made by interop/make_reference.py).
#include <chainer/chainer.h>

#include "chainer/core/parallel.h"
#include "test.h"

using namespace chainer;

TEST(legacy_streams_equal_numpys) {
  const serializers::NpzFile f(TEST_DATA "random.npz");
  random::RandomState r(42);
  const auto check = [&](const char* name, const Array& got) {
    const Array expected = f.array(name);
    EXPECT_EQ(got.shape(), expected.shape());
    EXPECT_CLOSE(got, expected, {.atol = 0, .rtol = 1e-14});
  };
  check("rand", r.rand({5}));
  check("randn", r.randn({5}));
  check("normal", r.normal(1, 2, {4}));
  check("uniform", r.uniform(-1, 3, {4}));
  check("randint", r.randint(0, 1000, {8}));
  check("randint_wide", r.randint(0, 1000000000000, {4}));
  check("randint8", r.randint(0, 200, {9}, uint8));
  check("randint32", r.randint(-50, 50, {5}, int32));
  check("permutation", r.permutation(11));
  check("exponential", r.exponential(2, {4}));
  check("gamma", r.gamma(2.5, 2, {4}));
  check("gamma_small", r.gamma(.3, 1, {4}));
  check("beta", r.beta(2, 3, {4}));
  check("beta_small", r.beta(.4, .6, {4}));
  check("gumbel", r.gumbel(1, 2, {4}));
  check("laplace", r.laplace(1, 2, {4}));
  check("lognormal", r.lognormal(.5, .7, {4}));
  check("dirichlet", r.dirichlet({.5, 1.5, 2.}, {3}));
  check("binomial", r.binomial(10, .3, {6}));
  check("binomial_large", r.binomial(1000, .4, {6}));
  check("binomial_high", r.binomial(200, .7, {6}));
  check("multinomial", r.multinomial(20, {.2, .3, .5}, {3}));
  check("choice", r.choice(10, {6}));
  check("choice_once", r.choice(10, {6}, false));
  check("choice_p", r.choice(4, {6}, true, std::vector{.1, .2, .3, .4}));
  check("choice_p_once", r.choice(6, {4}, false, std::vector{.1, .2, .3, .2, .1, .1}));
  check("last", r.rand({2}));
}

TEST(state_is_saved_and_restored) {
  random::RandomState r(1);
  (void)r.randn({3});
  const random::State s = r.state();
  const Array a = r.randn({5}), b = r.bulk(RandomFill::uniform, 0, 1, {10}, float32);
  r.set_state(s);
  EXPECT_CLOSE(r.randn({5}), a, {.atol = 0, .rtol = 0});
  EXPECT_CLOSE(r.bulk(RandomFill::uniform, 0, 1, {10}, float32), b, {.atol = 0, .rtol = 0});
  EXPECT_THROW(ValueError, "624 words", r.set_state({}));
}

// NumPy draws a number also where the result is certain.
TEST(certain_binomials_draw_numbers) {
  for (const auto& [n, p] : {std::pair{int64_t(30), 0.0}, {int64_t(30), 1.0}, {int64_t(0), 0.5}}) {
    random::RandomState a(0), b(0);
    EXPECT_EQ(a.binomial(n, p, {}).item<int64_t>(), p == 1 ? n : 0);
    (void)b.random_sample({});
    EXPECT_EQ(a.random_sample({}).item<double>(), b.random_sample({}).item<double>());
  }
}

TEST(bulk_numbers_do_not_depend_on_threads) {
  const int threads = cpu::thread_count();
  random::RandomState a(5), b(5);
  cpu::set_thread_count(1);
  const Array x = a.bulk(RandomFill::normal, 1, 2, {300, 301}, float32);
  cpu::set_thread_count(3);
  const Array y = b.bulk(RandomFill::normal, 1, 2, {300, 301}, float32);
  cpu::set_thread_count(threads);
  EXPECT(all(equal(x, y)).item<bool>());
  EXPECT(std::abs(mean(x).item<double>() - 1) < 0.03 && std::abs(chainer::std(x).item<double>() - 2) < 0.03);
  const Array m = a.bulk(RandomFill::bernoulli, 0.3, 1, {100000}, float32);
  EXPECT(std::abs(mean(m).item<double>() - 0.3) < 0.01);
}

TEST(bulk_uniform_numbers_stay_below_their_upper_end) {
  random::RandomState r(3);
  const double high = 1 + 0x1p-20;  // eight float32 steps: a sixteenth of the numbers would round up to `high`
  for (Dtype d : {float32, float64}) {
    const Array x = r.bulk(RandomFill::uniform, 1, high, {1000}, d);
    EXPECT(max(x).item<double>() < high && min(x).item<double>() >= 1);
  }
  for (Dtype d : {float16, bfloat16}) {
    const Array x = r.bulk(RandomFill::uniform, 0, 1, {100000}, d);
    EXPECT(max(x.astype(float64)).item<double>() < 1 && max(x.astype(float64)).item<double>() > 0.99);
  }
  const Array below_zero = r.bulk(RandomFill::uniform, -1e-30, 0, {1000}, float32);
  EXPECT(max(below_zero).item<double>() < 0);
}

TEST(probabilities_that_are_none_are_refused_at_once) {
  random::RandomState r(0);
  const double nan = std::nan(""), inf = HUGE_VAL;
  for (double bad : {nan, -0.1, 1.5, inf}) {
    EXPECT_THROW(ValueError, "at position 1 is not within [0, 1]", r.multinomial(5, {0.5, bad, 0.2}, {2}));
    EXPECT_THROW(ValueError, "at position 1 is not within [0, 1]", r.choice(3, {2}, true, std::vector{0.5, bad, 0.5}));
    EXPECT_THROW(ValueError, "at position 1 is not within [0, 1]", r.choice(3, {2}, false, std::vector{0.5, bad, 0.5}));
  }
  EXPECT_THROW(ValueError, "add up to 1.4, more than 1", r.multinomial(5, {0.9, 0.5, 0.2}, {2}));
  EXPECT_THROW(ValueError, "must not be negative: -1", r.multinomial(-1, {0.5, 0.5}, {2}));
  EXPECT_THROW(ValueError, "must add up to 1, not 0.75", r.choice(2, {2}, true, std::vector{0.5, 0.25}));
  EXPECT_THROW(ValueError, "only 1 choices have", r.choice(3, {2}, false, std::vector{0., 1., 0.}));
  EXPECT_EQ(r.multinomial(7, {0.5, 0.5, 0}, {4}).shape(), (Shape{4, 3}));
  EXPECT_EQ(sum(r.multinomial(7, std::vector<double>(10, 0.1), {50})).item<int64_t>(), 350);
  EXPECT_THROW(ValueError, "0 or more, not nan", r.gamma(nan, 1, {1}));
  EXPECT_THROW(ValueError, "must be positive: nan", r.beta(nan, 1, {1}));
  EXPECT_THROW(ValueError, "must be positive, not nan at position 0", r.dirichlet({nan, 1}, {1}));
  EXPECT_THROW(ValueError, "must not be negative", r.permutation(-1));
  (void)r.rand({1});  // none of the calls above keeps the generator locked
}

TEST(choice_takes_arrays_of_probabilities) {
  random::RandomState r(0);
  const Array p = chainer::exp(r.normal(0, 1, {1000}, float32));
  const Array q = p / sum(p);
  EXPECT_EQ(r.choice(1000, {50}, true, q).size(), 50);
  EXPECT_EQ(r.choice(arange(0, 1000), {50}, false, q).size(), 50);
  const std::vector<float> list = q.to_vector<float>();
  EXPECT_EQ(r.choice(1000, {5}, true, list).size(), 5);
  const Array off = q * 1.0001f;  // within NumPy's tolerance for float32, but not for float64
  EXPECT_EQ(r.choice(1000, {5}, true, off).size(), 5);
  EXPECT_THROW(ValueError, "pass the array itself", r.choice(1000, {5}, true, off.to_vector<double>()));
  EXPECT_THROW(ValueError, "add up to", r.choice(1000, {5}, true, q * 1.01f));
  EXPECT_THROW(ValueError, "a floating array with one axis", r.choice(4, {5}, true, ones({2, 2})));
  EXPECT_CLOSE(random::choice(2, {3}, true, {0.0, 1.0}), array({1, 1, 1}));
  // The same draws as with the list in float64.
  random::RandomState a(5), b(5);
  const Array exact = array({.1, .2, .3, .4});
  EXPECT_CLOSE(a.choice(4, {20}, true, exact), b.choice(4, {20}, true, std::vector{.1, .2, .3, .4}));
}
