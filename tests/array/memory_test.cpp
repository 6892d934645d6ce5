// SPDX-License-Identifier: MIT
// Invalid sizes and lengths, running out of memory, and returning memory.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chainer/chainer.h>

#include <thread>

#include "chainer/core/system/machine.h"
#include "chainer/core/parallel.h"
#include "chainer/core/pool.h"
#include "chainer/core/sanitizer.h"
#include "test.h"

using namespace chainer;

// Replaces the system's function and counts calls, since each is a system call. (Sanitizers call it before they can
// check memory.)
static int limits_asked = 0;
extern "C" __attribute__((no_sanitize("address", "thread", "undefined"))) int getrlimit(__rlimit_resource_t resource,
                                                                                        rlimit* limit) noexcept {
  __atomic_fetch_add(&limits_asked, 1, __ATOMIC_RELAXED);
  return prlimit(0, static_cast<__rlimit_resource>(resource), nullptr, limit);
}

namespace {

// Runs f in a child process that may use `bytes` more memory than it has, addresses or data; returns the child's
// status, which is the result of f.
template <class F>
int in_child(int64_t bytes, F f, bool data_only = false) {
  std::fflush(stdout);  // otherwise the child also writes what is buffered
  const pid_t child = fork();
  if (child == 0) {
    std::FILE* statm = std::fopen("/proc/self/statm", "r");
    long pages = 0, data = 0;
    if (!statm || std::fscanf(statm, "%ld %*d %*d %*d %*d %ld", &pages, &data) != 2) _exit(99);
    if (data_only) pages = data;
    std::fclose(statm);
    const auto limit =
        static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + static_cast<rlim_t>(bytes);
    const rlimit both = {limit, limit};
    setrlimit(data_only ? RLIMIT_DATA : RLIMIT_AS, &both);
    int result = 98;
    try {
      result = f();
    } catch (const std::exception& e) { std::printf("  in the child: %s\n", e.what()); }
    std::fflush(stdout);
    _exit(result);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

bool contains(const std::string& text, const char* part) { return text.find(part) != text.npos; }

}  // namespace

TEST(sizes_are_checked_where_the_shape_is_made) {
  // 2^62 elements: their bytes would wrap around to 4096.
  EXPECT_THROW(ValueError, "broadcast_to: an array of shape (1024, 4503599627370497) is too large",
               broadcast_to(ones({1}), {1024, (1LL << 52) + 1}));
  EXPECT_THROW(ValueError, "zeros: an array of shape (4294967296, 4294967296)", zeros({1LL << 32, 1LL << 32}));
  EXPECT_THROW(ValueError, "too large", zeros({0, 1LL << 32, 1LL << 32}));
  EXPECT_THROW(ValueError, "too large", repeat(broadcast_to(ones({1}), {1LL << 40}), 1LL << 40));
  EXPECT_THROW(ValueError, "too large", tile(ones({4}), {1LL << 62}));
  EXPECT_THROW(ValueError, "add: an array of shape (2147483648, 2147483648)",
               broadcast_to(ones({1, 1}), {1LL << 31, 1}) + broadcast_to(ones({1, 1}), {1, 1LL << 31}));
  EXPECT_THROW(ValueError, "too many elements", arange(0, 1e300, 1));
  EXPECT_EQ(zeros({0, 1LL << 40}).size(), 0);
  // No machine has 4 TiB: refused by the call itself, not when elements are read.
  EXPECT_THROW(MemoryError, "add: an array of shape (1048576, 1048576) and dtype float32 takes 4398046511104 bytes",
               ones({1 << 20, 1}) + ones({1, 1 << 20}));
  EXPECT_THROW(MemoryError, "zeros: an array of shape (1099511627776,)", zeros({1LL << 40}));
  EXPECT_THROW(MemoryError, "bytes are in use", zeros({1LL << 40}));
  EXPECT_THROW(Error, "float64", zeros({1LL << 40}, float64));
  EXPECT_THROW(MemoryError, "forward of",
               F::broadcast_to(Variable(ones({1}), true), {1 << 20, 1}) + Variable(ones({1, 1 << 20}), true));
}

TEST(negative_lengths_are_refused) {
  EXPECT_THROW(DimensionError, "reshape: the shape (-2, -3) has a negative length", arange(6).reshape({-2, -3}));
  EXPECT_THROW(DimensionError, "reshape", arange(6).reshape({-1, -1}));
  EXPECT_THROW(DimensionError, "reshape", arange(6).reshape({3, -2}));
  EXPECT_THROW(DimensionError, "reshape", arange(6).reshape({1LL << 62, 4}));
  EXPECT_THROW(DimensionError, "broadcast_to: negative dimensions", broadcast_to(ones({1}), {-4}));
  EXPECT_THROW(DimensionError, "negative", broadcast_to(ones({1, 2}), {-4, 2}));
  EXPECT_THROW(DimensionError, "tile: negative", tile(ones({2}), {-2}));
  EXPECT_THROW(DimensionError, "zeros: negative", zeros({-1}));
  EXPECT_EQ(arange(0).reshape({0, 3}).shape(), (Shape{0, 3}));
  EXPECT_EQ(arange(6).reshape({-1, 2}).shape(), (Shape{3, 2}));
}

TEST(int64_wraps_around_as_in_numpy) {
  const int64_t top = std::numeric_limits<int64_t>::max(), bottom = std::numeric_limits<int64_t>::min();
  const Array a = full({3000}, top, int64), b = full({3000}, bottom, int64), one = ones({3000}, int64);
  EXPECT_EQ((a + one)[7].item<int64_t>(), bottom);
  EXPECT_EQ((b - one)[7].item<int64_t>(), top);
  EXPECT_EQ((a * a)[7].item<int64_t>(), 1);
  EXPECT_EQ((-b)[7].item<int64_t>(), bottom);
  EXPECT_EQ(absolute(b)[7].item<int64_t>(), bottom);
  EXPECT_EQ(square(a)[7].item<int64_t>(), 1);
  EXPECT_EQ(sum(a).item<int64_t>(), -3000);
  EXPECT_EQ(floor_divide(b, -one)[7].item<int64_t>(), bottom);
  EXPECT_EQ(matmul(full({2, 2}, top, int64), full({2, 2}, 2, int64))[{0, 0}].item<int64_t>(), -4);
  EXPECT_EQ(cumsum(a)[1].item<int64_t>(), -2);
}

TEST(small_blocks_pass_between_threads) {
  if (kSanitized) return;  // sanitizers turn the pools off
  const auto exchange = [] {
    Arrays made;
    std::thread([&] {
      for (int i = 0; i < 20000; ++i) made.push_back(zeros({16}));
    }).join();
    // Freed by another thread than the one that allocated.
  };
  for (int i = 0; i < 3; ++i) exchange();
  const int64_t before = pool::system_bytes();
  for (int i = 0; i < 25; ++i) exchange();
  EXPECT(pool::system_bytes() <= before + (4 << 20));

  // A thread that stays alive and only frees memory.
  std::vector<Arrays> rounds(25);
  for (auto& made : rounds) {
    for (int i = 0; i < 20000; ++i) made.push_back(zeros({16}));
    std::thread([&] { made.clear(); }).join();
  }
  EXPECT(pool::system_bytes() <= before + (4 << 20));
}

TEST(small_blocks_go_back_to_the_system) {
  if (kSanitized) return;
  memory::empty_cache();
  const int64_t before = pool::system_bytes();
  {
    Arrays many;
    for (int i = 0; i < 200000; ++i) many.push_back(zeros({16}));
    EXPECT(pool::system_bytes() > before + (50 << 20));
  }
  memory::empty_cache();
  EXPECT(pool::system_bytes() <= before + (1 << 20));
}

TEST(the_cache_of_large_blocks_is_bounded) {
  if (kSanitized) return;
  const int64_t limit = memory::cache_limit();
  EXPECT(limit > 0 && limit <= machine::memory_bytes());
  memory::empty_cache();
  memory::set_cache_limit(3 << 20);
  {
    Array a({1 << 18}), b({1 << 19}), c({1 << 20});  // 1, 2 and 4 MiB
  }
  EXPECT(memory::statistics().cached <= 3 << 20);
  EXPECT(memory::statistics().cached > 0);
  memory::set_cache_limit(0);
  EXPECT_EQ(memory::statistics().cached, 0);
  memory::set_cache_limit(limit);
}

TEST(the_cache_gives_back_before_an_allocation_fails) {
  if (kSanitized) return;
  memory::empty_cache();
  EXPECT_EQ(in_child(300 << 20,
                     [] {
                       { Array a({200 << 18}); }    // 200 MiB, which the cache keeps
                       const Array b({250 << 18});  // throws unless cached memory is returned
                       return b.raw() ? 0 : 1;
                     }),
            0);
}

TEST(a_failed_allocation_says_what_and_leaves_all_usable) {
  if (kSanitized) return;
  memory::empty_cache();
  EXPECT_EQ(in_child(300 << 20,
                     [] {
                       const Array kept({100 << 18});
                       std::string what;
                       try {
                         const Array x = ones({1 << 18, 1}), y = ones({1, 1 << 10});
                         (void)(x * y).raw();
                       } catch (const Error& e) { what = e.what(); }
                       if (!contains(what, "multiply") || !contains(what, "(262144, 1024)")) return 1;
                       if (!contains(what, "1073741824 bytes") || !contains(what, "in use")) return 2;
                       return sum(ones({100, 100})).item<int>() == 10000 ? 0 : 3;
                     }),
            0);
}

TEST(products_ask_the_system_for_limits_now_and_then) {
  const Array a = ones({48, 48}), b = ones({48, 48});
  (void)dot(a, b).raw();
  const int before = limits_asked;
  for (int i = 0; i < 200; ++i) (void)dot(a, b).raw();
  EXPECT(limits_asked - before <= 4);
}

TEST(products_end_where_memory_is_limited) {
  if (kSanitized) return;
  // OpenBLAS would retry to get its working memory from the system.
  for (const bool data_only : {false, true})
    for (const int64_t megabytes : {40, 120, 400, 2000}) {
      const auto product = [] {
        alarm(60);
        cpu::set_thread_count(1);
        try {
          const Array y = matmul(ones({60, 60}, float64), ones({60, 60}, float64));
          return y[{3, 3}].item<int>() == 60 ? 0 : 2;
        } catch (const Error& e) { return contains(e.what(), "OpenBLAS") || contains(e.what(), "memory") ? 1 : 3; }
      };
      const int result = in_child(megabytes << 20, product, data_only);
      EXPECT(result == 0 || (result == 1 && megabytes < 400));
    }
}
