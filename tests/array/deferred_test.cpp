// SPDX-License-Identifier: MIT
// Deferred evaluation: what is deferred, the effect of writes, and that results equal those of eager evaluation.
#include <chainer/array/order.h>
#include <chainer/array/deferred/deferred.h>
#include <chainer/array/deferred/positions.h>
#include <chainer/core/parallel.h>
#include <chainer/chainer.h>

#include <thread>

#include "bits.h"
#include "random_program.h"
#include "test.h"

using namespace chainer;
using random_programs::RandomProgram;

namespace {

Array numbers(const Shape& s, Dtype d = float32) { return random::uniform(-2, 2, s).astype(d); }

}  // namespace

TEST(large_arrays_wait_and_small_ones_do_not) {
  const Array x = numbers({64, 64}), small = numbers({8, 8});
  const Array y = x + x;
  EXPECT(waits(y));
  EXPECT(waits(y.reshape({4096})));
  EXPECT(waits(sum(y)));
  EXPECT(!waits(small + small));
  EXPECT(!waits(eagerly([&] { return x + x; })));
  EXPECT(same_bits(y, eagerly([&] { return x + x; })));
  EXPECT(!waits(y));
}

TEST(a_write_runs_the_readers_first) {
  Array x = numbers({64, 64});
  const Array before = x.copy();
  const Array doubled = x + x, row = x[3] * numbers({64, 64});
  x[Slice(0, 1)].fill(7);  // through a view
  EXPECT(same_bits(doubled, before + before));
  Array z = x * 3;
  const Array w = z + 1;
  z += 5;  // to the deferred array itself
  EXPECT_CLOSE(w, x * 3 + 1, {.atol = 1e-6});
  EXPECT_CLOSE(z, x * 3 + 5, {.atol = 1e-6});
  const Array view = z[{Slice(), Slice(0, 32)}] * 1;
  z.set({0, 0}, -100);
  EXPECT(view[{0, 0}].item<float>() != -100);
}

TEST(views_of_waiting_arrays_share_their_memory) {
  const Array x = numbers({64, 64});
  Array y = x * 2;
  Array top = y[Slice(0, 32)], corner = top[{Slice(), Slice(32, std::nullopt)}];
  EXPECT(waits(corner));
  corner.fill(1);
  EXPECT_EQ(y[{5, 40}].item<float>(), 1.f);
  EXPECT_EQ(y[{5, 3}].item<float>(), x[{5, 3}].item<float>() * 2);
  EXPECT_EQ(top[{5, 40}].item<float>(), 1.f);
}

TEST(what_is_dropped_unread_never_runs) {
  const auto before = deferred::statistics();
  {
    const Array x = numbers({64, 64});
    Array y = x;
    for (int i = 0; i < 10; ++i) y = y * x + 1;
  }
  const auto after = deferred::statistics();
  EXPECT_EQ(after.programs, before.programs);
  EXPECT_EQ(after.waiting, before.waiting);
  EXPECT_EQ(after.held_bytes, before.held_bytes);
}

TEST(synchronizing_runs_what_waits) {
  const Array x = numbers({64, 64}), y = x * 2 + 1, total = sum(x);
  EXPECT(waits(y) && waits(total));
  Device().synchronize();
  EXPECT(!waits(y) && !waits(total));
}

TEST(reductions_run_with_what_shares_their_space) {
  const Array x = numbers({256, 128});
  const Array y = tanh(x), rows = sum(y, 1), columns = sum(y * y, 0), all = sum(y), z = y + 1;
  const auto before = deferred::statistics();
  (void)z.raw();
  const auto after = deferred::statistics();
  EXPECT_EQ(after.programs, before.programs + 1);
  EXPECT(waits(rows) + waits(columns) + waits(all) == 2);  // one loop order at a time
  const deferred::EagerMode eager;
  const Array t = tanh(x);
  EXPECT(same_bits(rows, sum(t, 1)));
  EXPECT(same_bits(columns, sum(t * t, 0)));
  EXPECT(same_bits(all, sum(t)));
  EXPECT(same_bits(z, t + 1));
}

TEST(narrow_columns_are_summed_in_chunks_alike_for_any_threads) {
  const Array x = numbers({70001, 64}), few = numbers({70001, 3}), middle = numbers({2, 5000, 200}, Dtype::float16);
  const auto run = [&] {
    return Arrays{sum(x * 2, 0), max(x, 0), sum(few, 0), sum(middle + 1, 1), sum(x.astype(float64), 0)};
  };
  cpu::set_thread_count(1);
  const Arrays one = run();
  EXPECT_CLOSE(one[0], sum((x * 2).astype(float64), 0), {.atol = 1e-2, .rtol = 1e-6});
  for (int threads : {1, 2, 3}) {
    cpu::set_thread_count(threads);
    const Arrays later = run(), now = eagerly(run);
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT(same_bits(later[i], one[i]) && same_bits(now[i], one[i]));
  }
  cpu::set_thread_count(0);
}

// Random additions and removals, in reverse order, around the number of entries from which the map uses a table.
TEST(positions_of_leaves) {
  std::vector<Array> arrays;
  for (int i = 0; i < 100; ++i) arrays.push_back(zeros({1}));
  deferred::Positions positions;
  random::RandomState r(5);
  std::size_t count = 0;
  for (int turn = 0; turn < 3000; ++turn) {
    const bool adds = count == 0 || (count < arrays.size() && r.next_uint32() % (turn % 200 < 100 ? 3 : 8) > 0);
    if (adds && (turn % 1000 > 300 || count < 12)) {
      positions.add(arrays[count].body(), static_cast<int32_t>(count));
      ++count;
    } else {
      positions.remove(arrays[--count].body());
    }
    for (std::size_t i = 0; i < arrays.size(); ++i)
      EXPECT_EQ(positions.find(arrays[i].body()), i < count ? static_cast<int32_t>(i) : -1);
  }
}

// Rows that only have to be added are read where they are, many at a time; computed rows are added in blocks.
TEST(columns_read_in_place_have_the_same_bits) {
  for (const int64_t width : {17, 40, 64, 65, 300, 1024, 1025, 3000})
    for (const int64_t rows : {1, 2, 15, 16, 17, 63, 64, 65, 130, 600}) {
      const Array x = numbers({2, rows, width}), wide = x.astype(float64), whole = floor(x * 100).astype(int64);
      for (const int threads : {1, 2, 3, 8}) {
        cpu::set_thread_count(threads);
        EXPECT(same_bits(sum(x, 1), sum(x * 1, 1)) && same_bits(eagerly([&] { return sum(x, 1); }), sum(x * 1, 1)));
        EXPECT(same_bits(sum(wide, 1), sum(wide * 1, 1)) && same_bits(max(x, 1), max(x * 1, 1)));
        EXPECT(same_bits(prod(x, 1), prod(x * 1, 1)) && same_bits(sum(whole, 1), sum(whole * 1, 1)));
      }
      EXPECT_CLOSE(sum(x, 1), sum(wide, 1).astype(float32), {.atol = 1e-4, .rtol = 1e-6});
      // A part of wider rows, which are not adjacent.
      EXPECT(same_bits(eagerly([&] {
                         return sum(x[{Slice(), Slice(), Slice(1, width)}], 1);
                       }),
                       sum(x[{Slice(), Slice(), Slice(1, width)}].copy(), 1)));
    }
  cpu::set_thread_count(0);
}

TEST(state_over_many_iterations_keeps_little_memory) {
  Array average = zeros({512, 512}), unread;
  int64_t most = 0;
  for (int i = 0; i < 200; ++i) {
    const Array x = numbers({512, 512});
    average = 0.9 * average + 0.1 * x;
    unread = sum(average);
    most = std::max(most, deferred::statistics().held_bytes);
  }
  EXPECT(most <= 40 << 20);
  // Arrays so large that the memory budget decides: the oldest are computed first.
  Array big = zeros({4 << 20});
  for (int i = 0; i < 30; ++i) {
    big = big + numbers({4 << 20});
    most = std::max(most, deferred::statistics().held_bytes);
  }
  EXPECT(most <= deferred::kBudget + (32 << 20));
}

TEST(chains_of_any_length_neither_recurse_nor_keep_all) {
  const Array x = numbers({2048});
  Array y = x;
  for (int i = 0; i < 20000; ++i) y = y * 0.5 + x;
  EXPECT_CLOSE(y, x * 2, {.atol = 1e-5});
  for (int i = 0; i < 2000; ++i) y = y - sum(y) * 1e-6;  // each step needs all of the one before
  EXPECT(isfinite(y).to_vector<uint8_t>()[0] == 1);
}

TEST(threads_share_and_drop_what_waits) {
  std::vector<std::thread> threads;
  const Array shared = numbers({128, 128}) * 2;
  const Array expected = eagerly([&] { return sum(shared * shared); });
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, handed = shared + 1.0] {
      for (int i = 0; i < 200; ++i) {
        const Array y = shared * shared, s = sum(y), unread = y + handed, other = sum(unread);
        if (!same_bits(s, expected)) ++wrong;
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST(observers_name_programs) {
  std::string seen;
  deferred::set_observer([&](const std::string& names, double, int64_t) { seen = names; });
  const Array x = numbers({64, 64});
  EXPECT(sum(tanh(x) * x).item<float>() != 12345.f);
  deferred::set_observer({});
  EXPECT_EQ(seen, std::string("tanh multiply sum"));
}

TEST(random_programs_agree_with_eager_evaluation_bit_for_bit) {
  for (int threads : {1, 2, 3}) {
    cpu::set_thread_count(threads);
    for (uint32_t seed = 0; seed < 1200; ++seed) {
      const Arrays lazy = RandomProgram(seed).run(60);
      const Arrays eager = eagerly([&] { return RandomProgram(seed).run(60); });
      EXPECT_EQ(lazy.size(), eager.size());
      for (std::size_t i = 0; i < lazy.size(); ++i) {
        ++test::expectations;
        if (!same_bits(lazy[i], eager[i]))
          test::fail(__FILE__, __LINE__,
                     chainer::text("seed ", seed, ", ", threads, " threads: array ", i, " differs"));
      }
    }
  }
  cpu::set_thread_count(0);
}

TEST(denormals_are_treated_as_at_the_call) {
  const bool before = cpu::denormals_flushed();
  const Array x = full({64, 64}, 1e-30);
  const auto in_mode = [](bool flush, auto f) {
    cpu::flush_denormals(flush);
    return f();
  };
  for (const bool flush : {false, true}) {
    const auto tiny = [&] { return x * 1e-10; };
    const Array expected = in_mode(flush, [&] { return eagerly(tiny); });
    EXPECT_EQ(expected[{0, 0}].item<float>() == 0, flush && cpu::denormals_flushed());
    // Recorded in one mode and read in the other: by itself, as an operand, and as the operand of a sum.
    const Array now = in_mode(flush, tiny), used = in_mode(flush, tiny), summed = in_mode(flush, tiny);
    const Array total = in_mode(flush, [&] { return sum(summed * 1e10); });
    const Array later = in_mode(!flush, [&] { return used * 1e10; });
    EXPECT_EQ(cpu::denormals_flushed(), !flush);
    EXPECT(same_bits(now, expected));
    EXPECT(same_bits(later, in_mode(!flush, [&] { return eagerly([&] { return expected * 1e10; }); })));
    EXPECT(same_bits(total, in_mode(flush, [&] { return eagerly([&] { return sum(expected * 1e10); }); })));
    cpu::flush_denormals(!flush);
    EXPECT(same_bits(in_mode(!flush, tiny), in_mode(!flush, [&] { return eagerly(tiny); })));
  }
  cpu::flush_denormals(before);
}

TEST(operands_that_waited_count_when_they_are_there) {
  // Masks that were deferred when an operation recorded them, and are then computed: a sum keeps 4 MiB of each alive.
  const Array x = numbers({1024, 1024});
  const int64_t before = memory::statistics().in_use;
  Arrays waiting;
  for (int i = 0; i < 120; ++i) {
    const Array scaled = x * static_cast<double>(i);
    waiting.push_back(sum(scaled));
    (void)scaled.raw();
  }
  waiting.clear();
  EXPECT_EQ(deferred::statistics().held_bytes, 0);
  memory::reset_peak();
  Arrays sums;
  for (int i = 0; i < 120; ++i) {
    const Array scaled = x * static_cast<double>(i), third = scaled + 1;
    sums.push_back(third[{0, Slice(0, 1)}]);  // the view keeps the deferred array alive
    (void)scaled.raw();
    EXPECT(deferred::statistics().held_bytes <= deferred::kBudget + x.nbytes());
  }
  EXPECT(deferred::statistics().held_bytes > 0);
  EXPECT(memory::statistics().peak - before < 2 * deferred::kBudget + 120 * x.nbytes());
  sums.clear();
  EXPECT_EQ(deferred::statistics().held_bytes, 0);
  EXPECT_EQ(memory::statistics().in_use, before);
}
