// SPDX-License-Identifier: MIT
// Checks the function that newcomer.patch adds: results of the documented steps for an elementwise function.
#include <chainer/chainer.h>
#include <chainer/testing/testing.h>

#include "functions/rows/table.h"
#include "functions/rows/unary.h"
#include "test.h"

using namespace chainer;

TEST(mish_goes_through_the_harness) {
  std::vector<testing::OpCase> rows;
  table::unary(rows);
  int count = 0;
  for (const testing::OpCase& c : rows) {
    if (c.name != "mish") continue;
    ++count;
    EXPECT(c.python.empty());  // not in the release
    testing::check_op(c);
  }
  EXPECT_EQ(count, 3);
}

TEST(mish_is_a_routine_on_arrays) {
  EXPECT_CLOSE(mish(array({-1., 0., 2.})), array({-0.3034014613, 0., 1.9439589595}), {.atol = 1e-9, .rtol = 1e-9});
  EXPECT_EQ(mish(array({1, 2})).dtype(), float64);
}

TEST(mish_has_a_row_in_the_benchmarks) {
  for (const table::Unary& u : table::unary_functions())
    if (u.name == "mish") EXPECT_EQ(u.options.torch, "F.mish");
}
