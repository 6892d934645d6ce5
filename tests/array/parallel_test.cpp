// SPDX-License-Identifier: MIT
// The pool of threads, its limits, and the settings that it must not change.
#include <sys/wait.h>
#include <unistd.h>

#include <chainer/chainer.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/backend/cpu/products/blas.h"
#include "chainer/core/system/machine.h"
#include "chainer/core/parallel.h"
#include "chainer/core/sanitizer.h"
#include "bits.h"
#include "test.h"

using namespace chainer;

namespace {

struct Threads {
  explicit Threads(int n) { cpu::set_thread_count(n); }
  ~Threads() { cpu::set_thread_count(0); }
};
constexpr int64_t kLarge = 1 << 22;

// Returns the result of f in a child of fork(); -1 if it hangs or dies.
template <class F>
int in_child(F f) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(f());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST(every_part_runs_once) {
  const Threads threads(4);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::atomic<int>> runs(static_cast<std::size_t>(1 + round % 40));
    cpu::parallel(static_cast<int>(runs.size()), round % 2 ? kLarge : 0,
                  [&](int part) { ++runs[static_cast<std::size_t>(part)]; });
    for (const auto& n : runs) EXPECT_EQ(n.load(), 1);
  }
  std::atomic<int64_t> covered{0};
  cpu::parallel_ranges(100001, kLarge, 64, [&](int64_t begin, int64_t end) {
    EXPECT(begin % 64 == 0);
    covered += end - begin;
  });
  EXPECT_EQ(covered.load(), 100001);
}

TEST(exceptions_reach_the_caller_and_the_pool_goes_on) {
  const Threads threads(3);
  for (int i = 0; i < 20; ++i) {
    EXPECT_THROW(ValueError, "part", cpu::parallel(8, kLarge, [](int part) {
                   if (part >= 3) throw ValueError("part ", part);
                 }));
  }
  std::atomic<int> count{0};
  cpu::parallel(8, kLarge, [&](int) { ++count; });
  EXPECT_EQ(count.load(), 8);
}

TEST(nested_and_concurrent_calls_are_right) {
  const Threads threads(2);
  std::atomic<int> count{0};
  std::vector<std::thread> callers;  // like the threads of a program's own parallel region
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      for (int i = 0; i < 200; ++i)
        cpu::parallel(4, kLarge, [&](int) { cpu::parallel(3, kLarge, [&](int) { ++count; }); });
    });
  for (auto& t : callers) t.join();
  EXPECT_EQ(count.load(), 4 * 200 * 4 * 3);
}

TEST(work_waits_for_no_thread_that_does_not_run) {
  // More busy threads than cores: waiting at barriers would take seconds.
  const Threads threads(2);
  std::atomic<bool> stop{false};
  std::vector<std::thread> busy;
  for (int i = 0; i < 2 * machine::cores(); ++i)
    busy.emplace_back([&] {
      while (!stop) {}
    });
  std::vector<float> values(1 << 16);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 2000; ++i)
    cpu::parallel_ranges(1 << 16, 1 << 16, 64, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) values[static_cast<std::size_t>(k)] += 1;
    });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  stop = true;
  for (auto& t : busy) t.join();
  EXPECT_EQ(values[12345], 2000.f);
  EXPECT(seconds < (kSanitized ? 60 : 10));
}

TEST(set_thread_count_of_zero_undoes_it) {
  const int before = cpu::thread_count();
  cpu::set_thread_count(7);
  EXPECT_EQ(cpu::thread_count(), 7);
  cpu::set_thread_count(0);
  EXPECT_EQ(cpu::thread_count(), before);
  if (!std::getenv("OMP_NUM_THREADS")) EXPECT_EQ(before, machine::cores());
}

TEST(quotas_count_as_cores) {
  namespace fs = std::filesystem;
  const fs::path root = fs::temp_directory_path() / ("cgroup-" + std::to_string(getpid()));
  const auto write = [&](const std::string& file, const std::string& text) {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text;
  };
  const auto cores = [&](const std::string& groups) { return machine::quota_cores(groups, root.string()); };
  write("a/cpu.max", "max 100000\n");
  EXPECT_EQ(cores("0::/a\n"), 0);
  EXPECT_EQ(cores("0::/not/there\n"), 0);
  write("a/b/cpu.max", "150000 100000\n");
  EXPECT_EQ(cores("0::/a/b\n"), 2);
  write("a/cpu.max", "50000 100000\n");  // limits of parent groups count, too
  EXPECT_EQ(cores("0::/a/b\n"), 1);
  write("cpu.max", "300000 100000\n");  // inside a container the host's path does not exist
  EXPECT_EQ(cores("0::/docker/0123\n"), 3);
  write("cpu,cpuacct/c/cpu.cfs_quota_us", "-1\n");
  write("cpu/c/cpu.cfs_quota_us", "100000\n");
  write("cpu/c/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cores("4:memory:/x\n3:cpu,cpuacct:/c\n"), 1);
  EXPECT_EQ(cores("4:memory:/x\n"), 0);
  write("m/memory.max", "1048576\n");
  EXPECT_EQ(machine::memory_limit("0::/m\n", root.string()), 1048576);
  EXPECT_EQ(machine::memory_limit("0::/a\n", root.string()), 0);
  fs::remove_all(root);
  EXPECT(machine::cores() >= 1);
  EXPECT(machine::memory_bytes() > 0);
}

TEST(matrix_products_are_the_same_for_any_number_of_threads) {
  const std::vector<std::vector<int64_t>> sizes = {
      {100, 784, 1000}, {257, 129, 311}, {64, 3000, 65},  {8, 2000, 2000},    {1000, 300, 3},
      {2, 700, 900},    {1001, 515, 1},  {130, 40, 70},   {6, 50000, 25},     {5, 9000, 300},
      {700, 64, 300},   {100, 5000, 70}, {40, 4099, 300}, {1030, 4100, 1030}, {33, 20001, 31}};
  for (const auto& s : sizes)
    for (const Dtype dtype : {float32, float64}) {  // computed by oneDNN if available, else by OpenBLAS
      const Array a = random::uniform(-1, 1, {s[0], s[1]}).astype(dtype);
      const Array b = random::uniform(-1, 1, {s[1], s[2]}).astype(dtype);
      Arrays results;
      for (int n : {1, 2, 3, 5, 8, 16}) {
        const Threads threads(n);
        results.push_back(matmul(a, b));
        results.push_back(matmul(b.T(), a.T()).T().copy());
      }
      for (std::size_t i = 2; i < results.size(); ++i) EXPECT(same_bits(results[i], results[i % 2]));
      EXPECT_CLOSE(results[0].astype(float64), matmul(a.astype(float64), b.astype(float64)), {.atol = 1e-3});
      EXPECT_CLOSE(results[0], results[1], {.atol = dtype == float64 ? 1e-11 : 1e-3});
    }
}

TEST(matrix_products_are_added_to_rows_that_lie_apart) {
  for (const Dtype dtype : {float32, float64, float16, int32})
    for (const auto& [rows, k] : std::vector<std::pair<int64_t, int64_t>>{{6, 3}, {6, 40}, {6, 9000}, {40, 5000}})
      for (const bool turned : {false, true}) {
        const Array a = random::uniform(-4, 4, {rows, k}).astype(dtype),
                    b = random::uniform(-4, 4, {k, 20}).astype(dtype);
        Array all = random::uniform(-4, 4, turned ? Shape{33, rows} : Shape{rows, 33}).astype(dtype);
        const Array before = all.copy(), product = matmul(a, b);
        Array part = turned ? all[{Slice(5, 25)}].T() : all[{Slice(), Slice(5, 25)}];
        kHostBackend->gemm(a, b, part, 1, 1);
        const Array added = turned ? before[{Slice(5, 25)}].T() : before[{Slice(), Slice(5, 25)}];
        EXPECT_CLOSE(part, added + product, {.atol = dtype == float64 ? 1e-9 : dtype == float16 ? 2 : 1e-2});
        const auto rest = [&](const Array& x) {
          return turned ? x[{Slice(25, 33)}].copy() : x[{Slice(), Slice(25, 33)}].copy();
        };
        EXPECT(same_bits(rest(all), rest(before)));
      }
}

TEST(openblas_keeps_the_programs_number_of_threads) {
  const cpu::Blas* blas = cpu::blas();
  if (!blas || !blas->set_threads) return;
  const int before = blas->get_threads();
  blas->set_threads(2);
  if (blas->get_threads() == 2) {
    (void)matmul(ones({64, 64}, float64), ones({64, 64}, float64));
    EXPECT_EQ(blas->get_threads(), 2);
    (void)matmul(ones({8, 8}), ones({8, 8}));
    (void)svd(random::uniform(-1, 1, {5, 4}));
    (void)inv(eye(5));
    EXPECT_EQ(blas->get_threads(), 2);
    {
      const cpu::OneThreadBlas outer;
      { const cpu::OneThreadBlas inner; }
      EXPECT_EQ(blas->get_threads(), 1);
    }
    EXPECT_EQ(blas->get_threads(), 2);
  }
  blas->set_threads(before);
}

TEST(a_child_of_fork_works) {
  if (kSanitized) return;
  const Threads threads(2);
  const Array x = random::uniform(-1, 1, {512, 512}).astype(float32), waiting = x * 2 + 1;
  const Array expected = matmul(x, x), total = sum(x * 2 + 1);
  // Another thread computes meanwhile, and may hold locks during the fork.
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) {
      const Array y = ones({256, 256}) * 3;
      (void)sum(tanh(y)).raw();
    }
  });
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(in_child([&] {
                const Array again = matmul(x, x);
                if (!same_bits(again, expected)) return 1;
                if (sum(waiting).item<float>() != total.item<float>()) return 2;
                Arrays small;
                for (int k = 0; k < 10000; ++k) small.push_back(zeros({16}));
                std::atomic<int> parts{0};
                cpu::parallel(8, kLarge, [&](int) { ++parts; });
                return parts == 8 ? 0 : 3;
              }),
              0);
  }
  stop = true;
  other.join();
  EXPECT(same_bits(matmul(x, x), expected));
}

TEST(a_child_of_fork_convolves_as_its_parent) {
  if (kSanitized) return;
  const Threads threads(2);
  const Variable x(random::uniform(-1, 1, {8, 8, 32, 32}).astype(float32));
  const Variable W(random::uniform(-1, 1, {16, 8, 3, 3}).astype(float32));
  const Array expected = F::convolution_2d(x, W).array();  // its primitive uses two threads
  EXPECT_EQ(in_child([&] {
              if (!same_bits(F::convolution_2d(x, W).array(), expected)) return 1;
              return same_bits(F::convolution_2d(x, W * 2).array(), expected * 2) ? 0 : 2;
            }),
            0);
}

TEST(no_number_of_threads_is_beyond_all_measure) {
  const Threads many(2000000000);
  EXPECT(cpu::thread_count() >= 256 && cpu::thread_count() <= std::max(256, 4 * machine::cores()));
  EXPECT_EQ(in_child([] {
              setenv("OMP_NUM_THREADS", "2000000000", 1);
              setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // the leak checker does not work with so many threads
              if (!std::freopen("/dev/null", "w", stdout)) return 8;
              execl("/proc/self/exe", "array_tests", "sums_on_the_number_of_threads_that_was_asked_for", nullptr);
              return 9;
            }),
            0);
}
TEST(sums_on_the_number_of_threads_that_was_asked_for) {
  EXPECT_EQ(sum(ones({kLarge})).item<int64_t>(), kLarge);
  EXPECT_EQ(matmul(ones({300, 300}), ones({300, 300}))[{5, 5}].item<int>(), 300);
}
