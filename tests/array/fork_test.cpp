// SPDX-License-Identifier: MIT
// fork() at random moments while other threads hold any lock of the library: the child must be able to compute, and the
// parent continues. CHAINER_TEST_ROUNDS sets the number of forks.
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

// Returns the result of f in a child process; -1 if the child does not end in time.
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

// The guard of a function's static object stays locked in a child if another thread is creating the object during the
// fork. Therefore each test creates these two before its threads.
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
void convolve(int i) {  // each call has its own primitive, and filters in a kept order
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

// Forks at random moments while threads do all kinds of work; returns the number of the first child that did not end,
// or 0.
int forks_amid_work(int count) {
  make_what_is_shared();
  cpu::set_thread_count(1);  // with a sanitizer, a pool must not start threads after a fork
  std::atomic<bool> end{false};
  std::atomic<int> begun{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kKinds; ++t)
    threads.emplace_back([&, t] {
      kWork[t].second(t);
      ++begun;
      for (int i = 1; !end; ++i) kWork[t].second(i + t);
    });
  // Waits until all kinds have run once: guards of static objects that the library creates at first use cannot be
  // repaired in a child.
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

// Not with sanitizers: their allocators have locks that may be held in a child.
TEST(a_child_of_any_moment_computes) {
  if (kSanitized) return;
  EXPECT_EQ(in_process(600,
                       [] {
                         // Evaluations call an observer, which a lock protects.
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

// The child has no other threads of this process, and new threads may reuse their stacks.
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

// Forks while another thread holds one of the locks: the child must not wait for it.
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

// Fork handlers that are added while another thread forks, under a lock that the fork waits for.
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
