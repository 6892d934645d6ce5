// SPDX-License-Identifier: MIT
// The library's helpers for tests of users.
#include <chainer/chainer.h>
#include <chainer/testing/testing.h>

#include <cmath>

#include "test.h"

using namespace chainer;
using namespace chainer::testing;

TEST(random_numbers_are_fixed_for_a_scope) {
  random::seed(1);
  const Array a = random::rand({2});
  random::seed(1);
  Array b, c;
  {
    const FixRandom fixed = fix_random();
    b = random::rand({2});
  }
  const Array after = random::rand({2});
  {
    const FixRandom fixed = fix_random();
    c = random::rand({2});
  }
  EXPECT_CLOSE(after, a, {.atol = 0});
  EXPECT_CLOSE(b, c, {.atol = 0});
}

TEST(links_are_saved_and_loaded) {
  L::Linear a(3, 2), b(3, 2);
  save_and_load_npz(a, b);
  EXPECT_CLOSE(b.W.array(), a.W.array(), {.atol = 0});
  L::Linear c(3, 2);
  try {
    save_and_load_hdf5(a, c);
    EXPECT_CLOSE(c.W.array(), a.W.array(), {.atol = 0});
  } catch (const MissingPartError&) {}  // without libhdf5
  std::filesystem::path used;
  save_and_load(
      a, b, "x.npz",
      [&](const auto& file, L::Linear& l) {
        used = file;
        serializers::save_npz(file, l);
      },
      [](const auto& file, L::Linear& l) { serializers::load_npz(file, l); });
  EXPECT(!std::filesystem::exists(used.parent_path()));
}

TEST(warnings_are_asserted) {
  for (int k = 0; k < 2; ++k) assert_warns([] { warn("helpers_test: a warning that is printed once"); });
  EXPECT_THROW(AssertionError, "assert_warns: there was no warning", assert_warns([] {}));
}

TEST(repetitions) {
  int runs = 0;
  const auto every = [&](int n) {
    return [&runs, n] {
      if (++runs % n != 0) throw ValueError("run ", runs);
    };
  };
  condition::retry(5, every(3));
  EXPECT_EQ(runs, 3);
  runs = 0;
  EXPECT_THROW(AssertionError, "0 of 1 runs passed, 3 of 3 must; the last failure: run 1",
               condition::repeat(3, every(2)));
  EXPECT_EQ(runs, 1);
  runs = 0;
  condition::repeat(4, every(1));
  EXPECT_EQ(runs, 4);
  runs = 0;
  condition::repeat_with_success_at_least(6, 2, every(2));
  EXPECT_EQ(runs, 4);
  EXPECT_THROW(ValueError, "3 of 2", condition::repeat_with_success_at_least(2, 3, [] {}));
}

TEST(the_test_of_a_function_of_one_number) {
  unary_math_function_unittest(F::sin, {[](double x) { return std::sin(x); }, "sin"});
  unary_math_function_unittest(F::log, {.make_data = [](const Shape& s) { return random::uniform(1, 2, s); }});
  EXPECT_THROW(AssertionError, "forward of",
               unary_math_function_unittest(F::sin, {[](double x) { return std::cos(x); }}));
  EXPECT_THROW(AssertionError, "the label is 'sin', expected 'sinus'",
               unary_math_function_unittest(F::sin, {.label_expected = "sinus"}));
}
