// SPDX-License-Identifier: MIT
// fork() at random moments while threads hold every lock of the library: the child computes, and the parent goes on.
// CHAINER_TEST_ROUNDS asks for more forks than a test run has time for.
#include <chainer/array/deferred/deferred.h>
#include <chainer/array/derived.h>
#include <chainer/chainer.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "chainer/core/system/fork.h"
#include "chainer/core/parallel.h"
#include "chainer/core/sanitizer.h"
#include "test.h"

using namespace chainer;

namespace {

// What f returns in a child of its own; -1 where the child did not end in time.
template <class F>
int in_process(unsigned seconds, F f) {
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(seconds);
    int result = 99;
    try {
      result = f();
    } catch (const std::exception& e) { std::printf("  in a child: %s\n", e.what()), std::fflush(stdout); }
    _exit(result);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Static objects of a function would be made behind a guard, which stays closed in a child where another thread makes
// the object at the moment of the fork: each test makes these two before its threads.
random::RandomState* generator = nullptr;
const Array* filters = nullptr;
void make_what_is_shared() {
  if (!generator) generator = new random::RandomState(1);
  if (!filters) filters = new Array(ones({16, 16, 3, 3}));
}

void draw(int i) {
  (void)generator->normal(0, 1, {300 + i % 7});
  (void)random::rand({500});
  (void)random::bulk(RandomFill::uniform, 0, 1, {500}, float32);
}
void convolve(int i) {  // a primitive of its own each time, and filters in an order that is kept
  const Array x = ones({1, 16, 5 + i % 64, 6});
  for (int k = 0; k < 2; ++k) (void)F::convolution_2d(x, *filters).array().raw();
}
void keep_forms(int i) {
  Array a = ones({40, 50});
  for (int k = 0; k < 3; ++k)
    (void)derived_form(a, static_cast<uint64_t>(i), 8192, [](void* to) { *static_cast<float*>(to) = 1; });
  a.fill(2);
}
void link(int) {
  const L::Linear l(3, 4);
  (void)l.params();
}
void wait_and_read(int i) {
  const Array x = ones({64, 64});
  const Array y = exp(x * static_cast<double>(i)), s = sum(y, 0), t = sum(y * 2);
  Array z = y + 1;
  (void)s.raw();
  z.fill(0);
}
void diverge(int) {
  const Variable p(full({4}, 0.5), false);
  (void)kl_divergence(distributions::Bernoulli(p), distributions::Bernoulli(p)).array().raw();
}
void count_warnings(int) { (void)warning_count(); }
void multiply(int) { (void)matmul(ones({20, 20}, float64), ones({20, 20}, float64)).raw(); }

constexpr std::pair<const char*, void (*)(int)> kWork[] = {
    {"random numbers", draw},      {"convolutions", convolve}, {"kept forms", keep_forms},   {"links", link},
    {"evaluation", wait_and_read}, {"divergences", diverge},   {"warnings", count_warnings}, {"products", multiply}};
constexpr int kKinds = static_cast<int>(std::size(kWork));

int rounds(int otherwise) {
  const char* v = std::getenv("CHAINER_TEST_ROUNDS");
  return v ? std::atoi(v) : otherwise;
}

// Threads that do all kinds of work, forks at random moments; the number of the first child that did not end, or 0.
int forks_amid_work(int count) {
  make_what_is_shared();
  cpu::set_thread_count(1);  // a thread of a pool may not be made after a fork where a sanitizer watches
  std::atomic<bool> end{false};
  std::atomic<int> begun{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kKinds; ++t)
    threads.emplace_back([&, t] {
      kWork[t].second(t);
      ++begun;
      for (int i = 1; !end; ++i) kWork[t].second(i + t);
    });
  // What the library makes at its first use stands behind guards of static objects, which a child cannot mend.
  while (begun < kKinds) std::this_thread::yield();
  random::RandomState moments(7);
  int hung = 0;
  for (int round = 0; round < count && !hung; ++round) {
    std::this_thread::sleep_for(std::chrono::microseconds(moments.next_interval(3000)));
    const int result = in_process(30, [&] {
      for (int k = 0; k < kKinds; ++k) kWork[(k + round) % kKinds].second(round);
      return 0;
    });
    if (result != 0) hung = round + 1;
  }
  end = true;
  for (auto& t : threads) t.join();
  return hung;
}

}  // namespace

// (Sanitizers allocate behind locks of their own, which a child of the wrong moment finds held.)
TEST(a_child_of_any_moment_computes) {
  if (kSanitized) return;
  EXPECT_EQ(in_process(600,
                       [] {
                         // Evaluations tell an observer, which is found behind a lock of its own.
                         deferred::set_observer([](const std::string&, double, int64_t) {});
                         const int hung = forks_amid_work(rounds(60));
                         if (hung) std::printf("  the child of fork %d did not end\n", hung), std::fflush(stdout);
                         return hung ? 1 : 0;
                       }),
            0);
}

namespace {
struct ForkNet : Chain {
  L::Linear a{4, 8}, b{8, 2};
  CHAINER_MEMBERS(ForkNet, a, b);
};
}  // namespace

// The child has none of this process's other threads, but new ones may get their stacks.
TEST(a_child_looks_at_no_object_of_another_threads_stack) {
  if (kSanitized) return;
  const auto train = [](int depth) {
    volatile char* const apart = static_cast<char*>(__builtin_alloca(static_cast<std::size_t>(16 * depth + 16)));
    apart[0] = 1;
    ForkNet net;
    auto optimizer = optimizers::SGD(0.1).setup(net);
    optimizer.update([&] { return F::sum(net.b(F::relu(net.a(Variable(ones({1, 4})))))); });
  };
  std::atomic<bool> ready{false}, end{false};
  std::thread other([&] {
    L::Linear a(4, 8);
    L::Classifier b{L::Linear(8, 2)};
    train(1);
    ready = true;
    while (!end) std::this_thread::yield();
  });
  while (!ready) std::this_thread::yield();
  int crashed = 0;
  for (int i = 0; i < 40; ++i)
    crashed += in_process(20, [&] {
                 std::thread(train, 8 * i).join();
                 return 0;
               }) != 0;
  end = true;
  other.join();
  EXPECT_EQ(crashed, 0);
}

// One lock at a time, held by another thread at the moment of the fork: what takes it in the child must not wait.
TEST(no_lock_is_held_in_a_child) {
  if (kSanitized) return;
  for (const auto& [name, work] : kWork) {
    const auto f = work;
    const int result = in_process(120, [f] {
      make_what_is_shared();
      cpu::set_thread_count(1);
      std::atomic<bool> end{false};
      std::atomic<int> begun{0};
      std::vector<std::thread> threads;
      for (int t = 0; t < 3; ++t)
        threads.emplace_back([&, t] {
          f(t);
          ++begun;
          for (int i = t; !end; i += 3) f(i);
        });
      while (begun < 3) std::this_thread::yield();
      int failed = 0;
      for (int i = 0; i < rounds(25) && !failed; ++i) failed = in_process(20, [&] { return f(i), 0; });
      end = true;
      for (auto& t : threads) t.join();
      return failed;
    });
    ++test::expectations;
    if (result != 0) test::fail(__FILE__, __LINE__, text("a child hangs in ", name));
  }
}

// Steps of a fork that come along while another thread forks, behind a lock that the fork waits for.
TEST(steps_may_be_added_during_a_fork) {
  EXPECT_EQ(in_process(60,
                       [] {
                         static auto* const lock = new ForkSafe<std::mutex>(kForkRandom);
                         std::atomic<bool> end{false};
                         std::atomic<int> added{0};
                         std::thread other([&] {
                           while (!end) {
                             const std::lock_guard hold(*lock);
                             (void)new ForkSafe<std::mutex>(kForkLeaf);
                             if (++added > 300) break;
                           }
                         });
                         while (added == 0) std::this_thread::yield();
                         int failed = 0;
                         for (int i = 0; i < 20; ++i) failed += in_process(20, [] { return lock->try_lock() ? 0 : 1; });
                         end = true;
                         other.join();
                         return failed;
                       }),
            0);
}
