// SPDX-License-Identifier: MIT
// Deferred evaluation in several threads: arrays that are passed between them, and arrays that are freed while
// computed.
#include <chainer/chainer.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "chainer/array/deferred/evaluation.h"
#include "chainer/core/parallel.h"
#include "bits.h"
#include "test.h"

using namespace chainer;

namespace {

template <class F>
auto on_a_thread(F f) {
  decltype(f()) result;
  std::thread([&] { result = f(); }).join();
  return result;
}

}  // namespace

TEST(what_waits_passes_to_another_thread) {
  const Array x = random::uniform(-1, 1, {64, 64});
  (void)(x * 2);  // this thread has its own list, and does not take over that of the other thread
  const Array y = on_a_thread([&] { return x * 2 + 1; });  // its thread has ended
  EXPECT(waits(y));
  const Array z = y * y, s = sum(z, 0), v = y.reshape({4096});
  EXPECT(!waits(y));  // computed when this thread recorded it as an operand
  EXPECT(same_bits(s, eagerly([&] { return sum((x * 2 + 1) * (x * 2 + 1), 0); })));
  EXPECT(same_bits(v, eagerly([&] { return (x * 2 + 1).reshape({4096}); })));
  const Array read = on_a_thread([&] { return tanh(x); });
  EXPECT(same_bits(read, eagerly([&] { return tanh(x); })));
  {
    const Array dropped = on_a_thread([&] { return exp(x); });
  }
  EXPECT_EQ(deferred::statistics().waiting, int64_t(0) + (waits(z) ? 1 : 0));
}

TEST(a_write_runs_the_readers_of_other_threads) {
  Array x = ones({64, 64});
  const Array y = on_a_thread([&] { return x * 2; });
  EXPECT(waits(y));
  x.fill(100);
  EXPECT(!waits(y));
  EXPECT_EQ(sum(y).item<int>(), 2 * 4096);
  EXPECT(!x.body().readers.any());
}

TEST(the_last_handle_goes_while_the_array_is_computed) {
  // One thread evaluates a sum, together with another sum over the same elements. Meanwhile a second thread drops the
  // last handle of that one, and stops before it takes the lock.
  static std::atomic<bool> inside{false}, finished{false};
  for (int round = 0; round < 20; ++round) {
    inside = finished = false;
    const Array x = random::uniform(-1, 1, {64, 64});
    const Array y = x * 3 + 1, first = sum(y, 0);
    Array second = sum(y * 2, 0);
    EXPECT(waits(first) && waits(second));
    deferred::before_drop = [] {
      inside = true;
      while (!finished) std::this_thread::yield();
    };
    std::thread other([&] { second = Array(); });
    while (!inside) std::this_thread::yield();
    deferred::before_drop = nullptr;
    (void)first.raw();  // also computes the sum without handles
    finished = true;
    other.join();
    EXPECT(same_bits(first, eagerly([&] { return sum(x * 3 + 1, 0); })));
  }
  EXPECT_EQ(deferred::statistics().waiting, 0);
}

TEST(handles_dropped_and_read_on_many_threads) {
  const Array shared = random::uniform(-1, 1, {64, 64});
  const Array expected = eagerly([&] { return sum(tanh(shared * 2) + shared, 0); });
  std::atomic<int> wrong{0};
  for (int round = 0; round < 20; ++round) {
    const Array middle = shared * 2;  // deferred here, read by the threads below
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        Arrays kept;
        for (int i = 0; i < 20; ++i) {
          const Array a = tanh(middle) + shared, total = sum(a, 0), other = sum(a, 1);
          if ((i + t) % 3 == 0 && !same_bits(total, expected)) ++wrong;
          if (i % 2) kept.push_back(other);
        }
      });
    for (auto& t : threads) t.join();
  }
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(deferred::statistics().waiting, 0);
  EXPECT_EQ(deferred::statistics().held_bytes, 0);
}

TEST(a_thread_does_not_wait_for_anothers_evaluation) {
  // While one thread is inside an evaluation, another records, drops and evaluates.
  std::atomic<bool> inside{false}, go_on{false};
  const std::thread::id owner = std::this_thread::get_id();
  deferred::set_observer([&](const std::string&, double, int64_t) {
    if (std::this_thread::get_id() != owner) return;
    inside = true;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!go_on && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  });
  std::thread other([&] {
    while (!inside) std::this_thread::yield();
    const Array y = ones({64, 64}) * 2;
    (void)sum(y + 1).raw();
    go_on = true;
  });
  const Array x = ones({64, 64}) * 5;
  (void)x.raw();
  EXPECT(go_on.load());  // set by the other thread, not by the timeout
  other.join();
  deferred::set_observer({});
}
