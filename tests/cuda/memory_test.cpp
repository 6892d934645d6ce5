// SPDX-License-Identifier: MIT
// The allocator of device memory, with a source that counts.
#include "chainer/backend/cuda/memory.h"

#include <map>
#include <random>

#include "../environment_variable.h"
#include "test.h"

using namespace chainer;
using cuda::Pool;

namespace {

constexpr std::size_t kMiB = std::size_t(1) << 20;

// Returns addresses without memory.
struct CountingSource final : Pool::Source {
  std::size_t room = std::size_t(1) << 40, taken = 0;
  uintptr_t next = 1 << 30;
  int waits = 0;
  std::vector<std::size_t> sizes;
  void* take(std::size_t bytes) override {
    if (taken + bytes > room) return nullptr;
    taken += bytes;
    sizes.push_back(bytes);
    next += bytes;
    return reinterpret_cast<void*>(next - bytes);
  }
  void give(void*, std::size_t bytes) noexcept override { taken -= bytes; }
  void wait() override { ++waits; }
};

}  // namespace

TEST(segments_follow_the_size_of_blocks) {
  CountingSource s;
  Pool pool(s);
  (void)pool.allocate(1);
  (void)pool.allocate(kMiB);
  EXPECT(s.sizes == std::vector<std::size_t>{2 * kMiB});
  (void)pool.allocate(kMiB + 1);
  (void)pool.allocate(10 * kMiB);
  EXPECT(s.sizes == (std::vector<std::size_t>{2 * kMiB, 20 * kMiB}));
  (void)pool.allocate(10 * kMiB + 1);
  EXPECT(s.sizes.back() == 12 * kMiB);
  EXPECT_EQ(pool.statistics().in_use, static_cast<int64_t>(512 + kMiB + kMiB + 512 + 10 * kMiB + 10 * kMiB + 512));
  EXPECT_EQ(pool.statistics().system_requests, 3);
  EXPECT(pool.allocate(std::size_t(1) << 63).data == nullptr);
}

TEST(a_pool_gives_back_what_it_has) {
  CountingSource s;
  {
    Pool pool(s);
    (void)pool.allocate(1);
    pool.release(pool.allocate(30 * kMiB));
  }
  EXPECT_EQ(s.taken, std::size_t(0));
}

TEST(blocks_are_split_fit_best_and_join) {
  CountingSource s;
  Pool pool(s);
  memory::Block b[5];
  for (auto& x : b) x = pool.allocate(100 << 10);
  EXPECT(static_cast<char*>(b[1].data) == static_cast<char*>(b[0].data) + (100 << 10));
  const memory::Block small = pool.allocate(1000);
  EXPECT_EQ(pool.size_of(small), std::size_t(1024));
  (void)pool.allocate(1 << 10);
  pool.release(small), pool.release(b[1]);
  EXPECT(pool.allocate(900).data == small.data);  // the smallest that fits, not the first
  pool.release(b[3]), pool.release(b[2]);
  EXPECT(pool.allocate(300 << 10).data == b[1].data);  // three adjacent blocks were merged
  EXPECT_EQ(pool.statistics().peak, static_cast<int64_t>((500 << 10) + 2048));
}

TEST(cached_segments_go_back_before_a_request_fails) {
  CountingSource s;
  s.room = 24 * kMiB;
  Pool pool(s);
  const memory::Block a = pool.allocate(kMiB), b = pool.allocate(12 * kMiB);
  EXPECT(pool.allocate(14 * kMiB).data == nullptr);
  pool.release(b);
  EXPECT_EQ(s.waits, 0);
  const memory::Block c = pool.allocate(14 * kMiB);
  EXPECT(c.data != nullptr && s.waits == 1);
  EXPECT_EQ(s.taken, 16 * kMiB);
  pool.release(a), pool.release(c);
  EXPECT_EQ(pool.statistics().cached, static_cast<int64_t>(16 * kMiB));
  pool.empty_cache();
  EXPECT(s.taken == 0 && pool.statistics().cached == 0);
  pool.set_limit(static_cast<int64_t>(3 * kMiB));
  EXPECT(pool.allocate(kMiB).data != nullptr && pool.allocate(2 * kMiB).data == nullptr);
}

// Random requests: blocks never overlap, and all memory is returned.
TEST(blocks_of_random_requests_are_apart) {
  CountingSource s;
  Pool pool(s);
  std::mt19937 r(4);
  struct Held {
    memory::Block block;
    std::size_t bytes;
  };
  std::map<char*, Held> held;
  bool apart = true;
  for (int step = 0; step < 5000; ++step) {
    const auto draw = static_cast<std::size_t>(r() % (1u << 30));
    if (draw % 3 != 0 || held.empty()) {
      const std::size_t bytes = draw % 7 == 0 ? draw % (30 * kMiB) : draw % (kMiB / 4);
      const memory::Block b = pool.allocate(bytes);
      const auto it = held.emplace(static_cast<char*>(b.data), Held{b, pool.size_of(b)}).first;
      apart = apart && pool.size_of(b) >= bytes;
      if (it != held.begin()) apart = apart && std::prev(it)->first + std::prev(it)->second.bytes <= it->first;
      if (std::next(it) != held.end()) apart = apart && it->first + it->second.bytes <= std::next(it)->first;
    } else {
      auto it = held.begin();
      std::advance(it, static_cast<long>(draw % held.size()));
      pool.release(it->second.block);
      held.erase(it);
    }
  }
  EXPECT(apart);
  for (const auto& [at, h] : held) pool.release(h.block);
  EXPECT_EQ(pool.statistics().in_use, 0);
  pool.empty_cache();
  EXPECT_EQ(s.taken, std::size_t(0));
}

// Tools that check memory see blocks that are allocations.
TEST(without_a_pool_every_block_is_an_allocation) {
  const EnvironmentVariable none("CHAINER_CUDA_POOL", "none");
  CountingSource source;
  Pool pool(source);
  const memory::Block a = pool.allocate(100), b = pool.allocate(3 * kMiB);
  EXPECT((source.sizes == std::vector<std::size_t>{512, 3 * kMiB}));
  EXPECT_EQ(pool.statistics().in_use, int64_t(3 * kMiB) + 512);
  pool.release(a);
  EXPECT_EQ(source.taken, 3 * kMiB);
  EXPECT_EQ(source.waits, 1);
  pool.release(b);
  EXPECT_EQ(source.taken, 0u);
  EXPECT_EQ(pool.statistics().in_use + pool.statistics().cached, 0);
}
