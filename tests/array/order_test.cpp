// SPDX-License-Identifier: MIT
// Memory order: results have the order of their operands, eager or deferred, and values do not depend on it.
#include <chainer/array/backend.h>
#include <chainer/array/operations/updates.h>
#include <chainer/array/order.h>
#include <chainer/array/deferred/deferred.h>
#include <chainer/core/parallel.h>
#include <chainer/chainer.h>
#include <chainer/routines/npy.h>

#include "bits.h"
#include "test.h"

using namespace chainer;

namespace {

const Dims kChannelsLast{0, 2, 3, 1};

Array numbers(const Shape& s, Dtype d = float32) { return random::uniform(-2, 2, s).astype(d); }
Array channels_last(const Shape& s, Dtype d = float32) { return in_order(numbers(s, d), kChannelsLast); }
bool is_channels_last(const Array& a) { return is_dense(a.body()) && memory_order(a) == kChannelsLast; }

}  // namespace

TEST(orders_are_told_from_strides) {
  EXPECT_EQ(memory_order(zeros({2, 3, 4, 5})), Dims({0, 1, 2, 3}));
  EXPECT_EQ(memory_order(zeros({2, 4, 5, 3}).transpose({0, 3, 1, 2})), kChannelsLast);
  EXPECT_EQ(memory_order(zeros({2, 3}).T()), Dims({1, 0}));
  EXPECT_EQ(memory_order(zeros({4, 3}).T()[{Slice(), Slice(0, 4, 2)}]), Dims({1, 0}));
  EXPECT_EQ(memory_order(broadcast_to(zeros({1, 3, 1, 1}), {2, 3, 4, 5})), Dims({0, 1, 2, 3}));
  EXPECT_EQ(memory_order(flip(zeros({2, 3}), 0)), Dims({0, 1}));
  // Axes of length one are ignored.
  EXPECT(in_order(zeros({2, 3, 1, 1}), kChannelsLast).is_contiguous());
  EXPECT(in_order(zeros({2, 1, 4, 5}), kChannelsLast).is_contiguous());
  EXPECT(is_channels_last(in_order(zeros({1, 3, 4, 5}), kChannelsLast)));
  EXPECT(!is_dense(zeros({4, 6})[{Slice(), Slice(0, 3)}].body()));
}

TEST(results_keep_the_order_of_their_operands) {
  for (const Shape& s : {Shape{2, 3, 4, 5}, Shape{4, 16, 9, 10}}) {  // eager and deferred
    const Array x = channels_last(s), y = channels_last(s), b = numbers({1, s[1], 1, 1}), c = numbers(s);
    const auto results = [&] {
      Array z = x.copy();
      z += y;
      z *= 2;
      z -= b;
      return Arrays{x + y,       x * 2,          tanh(x),
                    less(x, y),  x.copy(),       x.astype(float64),
                    x + b,       b - x,          where(x > 0, x, y),
                    c * x,       empty_like(x),  zeros_like(x),
                    z,           ones_like(x),   clip(x, -1, 1),
                    relu(x) > c, full_like(x, 3)};
    };
    const Arrays later = results(), now = eagerly(results);
    for (std::size_t i = 0; i < later.size(); ++i) {
      if (!is_channels_last(later[i]) || !is_channels_last(now[i]))
        test::fail(__FILE__, __LINE__, chainer::text("result ", i, " has order ", memory_order(later[i])));
      if (i != 10) EXPECT(same_bits(later[i], now[i]));
    }
    const Array cx = x.contiguous(), cy = y.contiguous();
    EXPECT(same_bits(later[0], cx + cy));
    EXPECT(same_bits(later[6], cx + b));
    EXPECT(same_bits(later[9], c * cx));
    EXPECT(same_bits(later[12], (cx + cy) * 2 - b));
  }
  const Array m = numbers({60, 50}).T();
  EXPECT_EQ(memory_order(m + 1), Dims({1, 0}));
  EXPECT_EQ(memory_order(concatenate({channels_last({2, 3, 4, 5}), channels_last({2, 6, 4, 5})}, 1)), kChannelsLast);
  EXPECT_EQ(memory_order(tanh(channels_last({4, 32, 8, 8})[{Slice(), Slice(4, 20)}])), kChannelsLast);
}

TEST(a_chain_in_one_order_is_one_program_without_a_copy) {
  const Array x = channels_last({8, 32, 10, 10}), y = channels_last({8, 32, 10, 10}), scale = numbers({1, 32, 1, 1});
  (void)scale.raw();
  const auto before = deferred::statistics();
  const int64_t copies = order_copies();
  const Array z = where(x > 0, tanh(x * scale + y), relu(y.astype(float64)).astype(float32)) - scale;
  EXPECT(waits(z));
  (void)z.raw();
  EXPECT_EQ(deferred::statistics().programs, before.programs + 1);
  EXPECT(is_channels_last(z));
  EXPECT_EQ(order_copies(), copies);
  EXPECT((z + numbers({8, 32, 10, 10})).is_contiguous() == false);
  EXPECT_EQ(order_copies(), copies + 1);  // the operand in the other order
}

TEST(values_are_those_of_c_order) {
  const Array c = numbers({3, 4, 5, 6}), x = in_order(c, kChannelsLast);
  EXPECT(x.to_vector<double>() == c.to_vector<double>());
  EXPECT(same_bits(x.reshape({12, 30}), c.reshape({12, 30})));
  EXPECT(same_bits(x.ravel(), c.ravel()));
  EXPECT(same_bits(from_npy(to_npy(x)), c));
  EXPECT(x.contiguous().is_contiguous());
  EXPECT(same_bits(x.contiguous(), c));
  EXPECT(same_bits((x * 2).reshape({-1}), (c * 2).ravel()));
}

TEST(statistics_of_channels_wait_and_add_alike_for_any_threads) {
  const Array x = channels_last({16, 48, 20, 20}), few = channels_last({40, 3, 30, 31}),
              wide = channels_last({6, 700, 5, 5});
  const Axes nhw{0, 2, 3};
  EXPECT(waits(sum(x, nhw)));
  EXPECT(waits(max(few, nhw)));
  EXPECT(waits(sum(x, 0)));
  EXPECT_EQ(memory_order(sum(x, 0)), Dims({1, 2, 0}));
  EXPECT_EQ(memory_order(sum(x, 0, true)), kChannelsLast);
  const auto run = [&] {
    return Arrays{sum(x * 2, nhw),
                  sum(square(x), nhw, true),
                  max(few, nhw),
                  sum(few, nhw),
                  sum(wide, nhw),
                  min(wide, nhw),
                  sum(x, 1),
                  sum(x, {2, 3}),
                  sum(x, 0),
                  sum(x),
                  sum(x.astype(float64), nhw)};
  };
  cpu::set_thread_count(1);
  const Arrays one = run();
  EXPECT_CLOSE(one[0], sum((x * 2).contiguous().astype(float64), nhw), {.atol = 1e-3, .rtol = 1e-6});
  EXPECT(same_bits(one[2], max(few.contiguous(), nhw)));
  EXPECT(same_bits(one[5], min(wide.contiguous(), nhw)));
  EXPECT_CLOSE(one[8], sum(x.contiguous(), 0), {.atol = 1e-5});
  EXPECT_CLOSE(one[6], sum(x.contiguous(), 1), {.atol = 1e-4});
  for (int threads : {1, 2, 3}) {
    cpu::set_thread_count(threads);
    const Arrays later = run(), now = eagerly(run);
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT(same_bits(later[i], one[i]) && same_bits(now[i], one[i]));
  }
  cpu::set_thread_count(0);
}

TEST(copies_between_orders_go_by_tiles_of_any_size) {
  for (Dtype d : {Dtype::uint8, float16, float32, float64, Dtype::bool_}) {
    for (const Shape& s : {Shape{1, 1}, Shape{2, 3}, Shape{67, 130}, Shape{300, 17}, Shape{3, 1000}}) {
      Array a = (numbers(s, float64) * 40).astype(d), b = a.T().contiguous();
      EXPECT(b.is_contiguous());
      const std::vector<double> x = a.to_vector<double>(), y = b.to_vector<double>();
      for (int64_t i = 0; i < s[0]; ++i)
        for (int64_t j = 0; j < s[1]; ++j)
          EXPECT(x[static_cast<std::size_t>(i * s[1] + j)] == y[static_cast<std::size_t>(j * s[0] + i)]);
    }
  }
  for (const Dims& order : {kChannelsLast, Dims{3, 2, 1, 0}, Dims{1, 0, 3, 2}, Dims{2, 3, 0, 1}}) {
    const Array c = numbers({5, 3, 33, 18}), x = in_order(c, order);
    EXPECT_EQ(memory_order(x), order);
    EXPECT(same_bits(x, c));
    EXPECT(same_bits(in_order(x, kChannelsLast)[{Slice(), 1}], c[{Slice(), 1}]));
  }
}

TEST(operands_that_repeat_are_read_alike_in_blocks_of_any_start) {
  for (int64_t channels : {1, 3, 7, 48, 64, 700, 1024, 1025}) {
    const Array x = channels_last({2, channels, 40, 37}), b = numbers({1, channels, 1, 1}), c = x.contiguous();
    const Array w = numbers({1, channels, 1, 37});
    const auto f = [&](const Array& v) { return Arrays{v * b + 1, sum(v * b, {0, 2, 3}), maximum(v, w), sum(v - b)}; };
    const Arrays later = f(x), now = eagerly([&] { return f(x); }), plain = f(c);
    for (std::size_t i = 0; i < later.size(); ++i) EXPECT(same_bits(later[i], now[i]));
    EXPECT(same_bits(later[0], plain[0]));
    EXPECT(same_bits(later[2], plain[2]));
    EXPECT_CLOSE(later[1], plain[1], {.atol = 1e-2});
  }
}

TEST(optimizers_states_and_masks_lie_as_their_parameters) {
  // A pass of Adam over a parameter whose gradient and one state have another order.
  const Shape s{8, 6, 3, 3};
  Array w = channels_last(s), plain = w.contiguous();
  const Array g = numbers(s);
  std::vector<Array> states{zeros_like(w), zeros(s)}, plain_states{zeros(s), zeros(s)};
  EXPECT(is_channels_last(states[0]));
  const double hyper[] = {0.1, 0.1, 0.01, 1e-8, 1, 0};
  for (int i = 0; i < 3; ++i) {
    w.device().backend().update(Update::adam, w, g, states, hyper);
    w.device().backend().update(Update::adam, plain, g, plain_states, hyper);
  }
  EXPECT(same_bits(w, plain));
  for (std::size_t i = 0; i < 2; ++i) EXPECT(same_bits(states[i], plain_states[i]));
  const Variable x(channels_last({8, 16, 12, 12}));
  Array mask;
  random::seed(3);
  const Variable y = F::dropout(x, 0.5, {.return_mask = &mask});
  EXPECT(is_channels_last(mask) && is_channels_last(y.array()));
  random::seed(3);
  EXPECT(same_bits(y.array(), F::dropout(Variable(x.array().contiguous()), 0.5).array()));
  // Also for uniform numbers of every floating dtype.
  for (Dtype d : {float16, float32, float64}) {
    random::seed(4);
    const Array drawn = random::bulk(RandomFill::uniform, 0, 1, {4, 6, 5, 5}, d, {}, kChannelsLast);
    random::seed(4);
    EXPECT(is_channels_last(drawn));
    EXPECT(same_bits(drawn, random::bulk(RandomFill::uniform, 0, 1, {4, 6, 5, 5}, d)));
  }
}

TEST(sums_of_few_columns_at_once_and_deferred) {
  random::RandomState draw(8);
  for (const int64_t columns : {1, 2, 3, 6, 16, 23, 24, 25, 40})
    for (const int64_t rows : {1, 2, 15, 16, 17, 200, 5000}) {
      const Array x = draw.normal(1, 1, {rows, columns}, float32);
      const Array exact = sum(x.astype(float64), {0});
      EXPECT_CLOSE(sum(x, {0}).astype(float64), exact, {.atol = 1e-3, .rtol = 1e-6});
      EXPECT_CLOSE(sum(x * 2 - x, {0}).astype(float64), exact, {.atol = 1e-3, .rtol = 1e-6});
    }
}

// Copies are made in square blocks of a register's length; edges and rows that are not adjacent are copied separately.
TEST(transposed_matrices_of_any_lengths) {
  for (const Dtype dtype : {uint8, float16, float32, float64})
    for (const int64_t rows : {1, 3, 8, 9, 16, 17, 33, 250})
      for (const int64_t columns : {1, 2, 7, 8, 15, 16, 31, 48, 130}) {
        const Array all = (arange((rows + 1) * (columns + 3)) % 251).astype(dtype).reshape({rows + 1, columns + 3});
        const Array turned = all[{Slice(0, rows), Slice(1, columns + 1)}].T().copy();
        const std::vector<double> before = all.to_vector<double>(), after = turned.to_vector<double>();
        bool same = true;
        for (int64_t i = 0; i < rows; ++i)
          for (int64_t j = 0; j < columns; ++j)
            same = same && after[static_cast<std::size_t>(j * rows + i)] ==
                               before[static_cast<std::size_t>(i * (columns + 3) + 1 + j)];
        EXPECT(same);
      }
}
