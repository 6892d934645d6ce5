// SPDX-License-Identifier: MIT
#include "chainer/array/memory.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>

#include "chainer/core/system/fork.h"
#include "chainer/core/system/machine.h"
#include "chainer/core/system/pages.h"
#include "chainer/core/pool.h"
#include "chainer/core/sanitizer.h"

namespace chainer::memory {
namespace {

constexpr std::size_t kHuge = std::size_t(2) << 20;
constexpr int kClassCount = 2 + 4 * 40;

int class_of(std::size_t bytes) {
  if (bytes <= 256) return 1;
  const int octave = 63 - __builtin_clzll(bytes - 1);  // 2^octave < bytes <= 2^(octave+1)
  const int quarter = static_cast<int>(((bytes - 1) >> (octave - 2)) & 3);
  return 2 + (octave - 8) * 4 + quarter;
}
std::size_t class_bytes(int c) {
  if (c == 1) return 256;
  const int octave = 8 + (c - 2) / 4, quarter = (c - 2) % 4;
  return (std::size_t(1) << octave) + (std::size_t(quarter + 1) << (octave - 2));
}

// A cached block, linked with its neighbours in its class (latest first) and in the list of all blocks by age.
struct Cached {
  Cached *later = nullptr, *earlier = nullptr;  // in the class
  Cached *newer = nullptr, *older = nullptr;
  int size_class = 0;
};

class Cache {
 public:
  Cache() : limit_(machine::memory_bytes() / 2) {
    pool::set_reclaim([] { empty_cache(); });
  }
  void* take(int c) {
    Cached* b = latest_[c];
    if (b) remove(b);
    return b;
  }
  void add(void* p, int c) {
    auto* b = new (p) Cached{nullptr, latest_[c], nullptr, newest_, c};
    if (b->earlier) b->earlier->later = b;
    latest_[c] = b;
    (newest_ ? newest_->newer : oldest_) = b;
    newest_ = b;
    stats.cached += static_cast<int64_t>(class_bytes(c));
    shrink(limit_);
  }
  // Frees the oldest blocks until at most `most` bytes are cached.
  void shrink(int64_t most) {
    while (stats.cached > most && oldest_) {
      Cached* b = oldest_;
      remove(b);
      std::free(b);
    }
  }
  int64_t limit() const { return limit_; }
  void set_limit(int64_t bytes) { shrink(limit_ = std::max<int64_t>(bytes, 0)); }

  ForkSafe<std::mutex> mutex{kForkMemory};
  Statistics stats;

 private:
  void remove(Cached* b) {
    (b->later ? b->later->earlier : latest_[b->size_class]) = b->earlier;
    if (b->earlier) b->earlier->later = b->later;
    (b->newer ? b->newer->older : newest_) = b->older;
    (b->older ? b->older->newer : oldest_) = b->newer;
    stats.cached -= static_cast<int64_t>(class_bytes(b->size_class));
  }
  Cached* latest_[kClassCount] = {};
  Cached *newest_ = nullptr, *oldest_ = nullptr;
  int64_t limit_;
};
Cache& cache() {
  static Cache* c = new Cache;  // never destroyed: arrays may outlive main()
  return *c;
}
[[maybe_unused]] const Cache& cache_made_early = cache();  // before threads, see core/pool.cpp

void* from_system(std::size_t bytes) {
  const bool huge = bytes >= kHuge;
  const std::size_t align = huge ? kHuge : 64;
  void* p = std::aligned_alloc(align, (bytes + align - 1) / align * align);
  if (p && huge) pages::prefer_large(p, bytes);
  return p;
}

}  // namespace

Block try_allocate(std::size_t bytes) {
  if (bytes > std::size_t(1) << 46) return {};
  const int c = class_of(bytes);
  const auto size = static_cast<int64_t>(class_bytes(c));
  Cache& k = cache();
  void* p = nullptr;
  {
    const std::lock_guard lock(k.mutex);
    if (!(p = k.take(c))) ++k.stats.system_requests;
  }
  if (!p && !(p = from_system(class_bytes(c)))) {
    empty_cache();
    if (!(p = from_system(class_bytes(c)))) return {};
  }
  const std::lock_guard lock(k.mutex);
  ++k.stats.allocations;
  k.stats.allocated_total += size;
  k.stats.in_use += size;
  k.stats.peak = std::max(k.stats.peak, k.stats.in_use);
  return {p, c};
}

Block allocate(std::size_t bytes) {
  const Block b = try_allocate(bytes);
  if (b.data) return b;
  const Statistics s = statistics();
  throw MemoryError("cannot allocate ", bytes, " bytes; ", s.in_use, " bytes are in use and ", s.cached, " cached");
}

void refuse(int64_t bytes, const Dims& shape, Dtype dtype, std::string_view operation, std::string_view device,
            const Statistics& there) {
  throw MemoryError(operation, ": cannot allocate ", bytes, " bytes for an array of shape ", shape, " and dtype ",
                    dtype, " on ", device, "; ", there.in_use, " bytes are in use there and ", there.cached, " cached");
}

void expect_possible(int64_t bytes, const Dims& shape, Dtype dtype, std::string_view operation) {
  if (bytes <= machine::memory_bytes()) return;
  const Statistics s = statistics();
  throw MemoryError(operation, ": an array of shape ", shape, " and dtype ", dtype, " takes ", bytes,
                    " bytes, more than this machine's memory of ", machine::memory_bytes(), "; ", s.in_use,
                    " bytes are in use and ", s.cached, " cached");
}

void release(Block b) {
  Cache& k = cache();
  const std::lock_guard lock(k.mutex);
  k.stats.in_use -= static_cast<int64_t>(class_bytes(b.size_class));
  if (kSanitized)
    std::free(b.data);  // the sanitizer must see the end of every block
  else
    k.add(b.data, b.size_class);
}

Statistics statistics() {
  Cache& k = cache();
  const std::lock_guard lock(k.mutex);
  return k.stats;
}

void reset_peak() {
  Cache& k = cache();
  const std::lock_guard lock(k.mutex);
  k.stats.peak = k.stats.in_use;
}

void empty_cache() {
  {
    Cache& k = cache();
    const std::lock_guard lock(k.mutex);
    k.shrink(0);
  }
  pool::trim();
}

void set_cache_limit(int64_t bytes) {
  Cache& k = cache();
  const std::lock_guard lock(k.mutex);
  k.set_limit(bytes);
}

int64_t cache_limit() {
  Cache& k = cache();
  const std::lock_guard lock(k.mutex);
  return k.limit();
}

}  // namespace chainer::memory
