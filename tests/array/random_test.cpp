// The random streams against those of NumPy (data/random.npz is made by interop/make_reference.py).
#include <chainer/chainer.h>

#include "chainer/backend/cpu/parallel.h"
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
