// SPDX-License-Identifier: MIT
// Convolutions of a recording that run together with the operations on their results give the same bits, even if the
// results are used elsewhere or memory is written to in between.
#include <chainer/chainer.h>

#include <map>

#include "replays.h"

using namespace chainer;

namespace {

const Array& weights_of(const Shape& s) {
  static std::map<std::vector<int64_t>, Array> all;
  Array& W = all[std::vector<int64_t>(s.begin(), s.end())];
  if (!W) W = drawn_floats(s) * 0.1;
  return W;
}
Variable convolved(const Variable& x, int64_t out, int64_t k) {
  return F::convolution_2d(x, Variable(weights_of({out, x.shape(1), k, k}), false), Variable(weights_of({out}), false),
                           {.pad = k / 2});
}

}  // namespace

TEST(an_activation_joins_its_convolution) {
  for (const int64_t n : {1, 4}) {
    expect_replays([](const Variable& x) { return F::relu(convolved(x, 16, 3)); }, {n, 8, 20, 20}, 1);
    expect_replays([](const Variable& x) { return F::clip(convolved(x, 16, 1), 0, 0.5); }, {n, 8, 20, 20}, 1);
    expect_replays([](const Variable& x) { return F::sigmoid(convolved(x, 128, 3)) * 2; }, {n, 64, 6, 6}, 1);
    expect_replays([](const Variable& x) { return F::relu(convolved(F::relu(convolved(x, 16, 3)), 24, 3)); },
                   {n, 8, 20, 20}, 2);
  }
}

TEST(a_shortcut_joins_the_last_convolution) {
  expect_replays(
      [](const Variable& x) {
        const Variable h = F::relu(convolved(x, 8, 3));
        return F::relu(convolved(h, 8, 3) + x);
      },
      {2, 8, 20, 20}, 3);  // x is copied into the order of the results
  expect_replays([](const Variable& x) { return F::relu(convolved(x, 16, 1) + convolved(x, 16, 3)); }, {2, 8, 20, 20},
                 2);
}

TEST(results_that_somebody_else_reads_stay) {
  // Readers before the program, after it, and twice in it.
  expect_replays(
      [](const Variable& x) {
        const Variable c = convolved(x, 16, 3), m = F::max_pooling_2d(c, 2);
        return F::relu(c) + F::sum(m);
      },
      {2, 8, 20, 20}, 4);
  expect_replays(
      [](const Variable& x) {
        const Variable c = convolved(x, 16, 3), r = F::relu(c);
        return F::max_pooling_2d(r, 2) + F::max_pooling_2d(c, 2);
      },
      {2, 8, 20, 20}, 5);
  expect_replays(
      [](const Variable& x) {
        const Variable c = convolved(x, 16, 3);
        return c * F::sigmoid(c);
      },
      {2, 8, 20, 20}, 1);
  expect_replays(
      [](const Variable& x) {
        const Variable c = convolved(x, 16, 3);
        return F::relu(F::transpose(c, {0, 1, 3, 2}) + c);
      },
      {2, 8, 20, 20}, 3);
}

TEST(what_a_convolution_reads_is_not_written_before_it_is_done) {
  expect_replays(
      [](const Variable& x) {
        Array a = x.array() * 1.5;
        const Variable c = convolved(Variable(a, false), 8, 3);
        a += c.array();  // in place, to the images of the convolution
        return Variable(a * 2, false);
      },
      {2, 8, 20, 20}, 5);
}
