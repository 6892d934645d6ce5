// SPDX-License-Identifier: MIT
// Steps of a recording that only read constant weights run once, and other results do not change.
#include <chainer/array/backend.h>
#include <chainer/array/recording/replays.h>

#include "replays.h"

using namespace chainer;

namespace {

const Array& staying_weights() {
  static const Array W = drawn_floats({96, 80});
  return W;
}
Array in_order(const Array& a) { return a.copy().contiguous(); }

}  // namespace

TEST(work_on_weights_is_done_once) {
  const auto f = [](const Variable& x) {
    const Array W = in_order(staying_weights().transpose()) * 2;  // two copies and a program
    return Variable(matmul(x.array(), W), false);
  };
  expect_replays(f, {3, 80}, 4);
  expect_replays(f, {3, 80}, 1, true);
}

TEST(weights_in_parts_are_put_together_once) {
  const auto f = [](const Variable& x) {
    Array gates = zeros({192, 80}, float32);
    for (int64_t i = 0; i < 2; ++i) {
      Array rows = get_item(gates, {Slice(i, {}, 2)});
      copy_elements(staying_weights() * float(i + 1), rows);
    }
    return Variable(matmul(x.array(), gates), false);
  };
  expect_replays(f, {2, 192}, 1, true);
}

TEST(what_is_written_after_it_was_read_runs_each_time) {
  // The product reads the copy before it is scaled; running both scalings first would be wrong.
  const auto f = [](const Variable& x) {
    Array W = in_order(staying_weights().transpose());
    const Array y = matmul(x.array(), W);
    W *= 3;
    return Variable(y + matmul(x.array(), W), false);
  };
  expect_replays(f, {2, 80}, 5, true);
}

TEST(what_depends_on_an_argument_runs_each_time) {
  const auto f = [](const Variable& x) {
    Array sums = in_order(staying_weights());
    sums += x.array();  // in place, into memory that weights were copied to
    return Variable(matmul(sums, in_order(staying_weights().transpose())), false);
  };
  expect_replays(f, {1, 80}, 3, true);
}

TEST(a_result_of_weights_alone_is_new_each_time) {
  recording::Replays replays;
  const auto f = [](const Arrays& x) {
    return Arrays{matmul(staying_weights(), staying_weights().transpose()), x[0] * 2};
  };
  Arrays before;
  for (int i = 0; i < 4; ++i) {
    Arrays y = replays(f, {drawn_floats({3})});
    if (i > 0) EXPECT(all(y[0] == before[0]).item<bool>());
    before = {y[0].copy()};
    y[0] += 1;  // the caller's array
  }
  EXPECT_EQ(replays.counts().replayed, 2);
}

TEST(random_numbers_are_drawn_each_time) {
  recording::Replays replays;
  const auto f = [](const Arrays& x) { return Arrays{x[0] + random::uniform(0, 1, {64, 96}, float32)}; };
  std::vector<float> sums;
  for (int i = 0; i < 4; ++i) sums.push_back(sum(replays(f, {zeros({64, 96}, float32)})[0]).item<float>());
  for (std::size_t i = 1; i < sums.size(); ++i) EXPECT(sums[i] != sums[i - 1]);
}
