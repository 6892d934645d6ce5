#include "chainer/array/memory.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

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

struct Cache {
  std::mutex mutex;
  std::vector<void*> free[kClassCount];
  Statistics stats;
};
Cache& cache() {
  static Cache* c = new Cache;  // never destroyed: arrays may outlive main
  return *c;
}

void* from_system(std::size_t bytes) {
  const bool huge = bytes >= kHuge;
  const std::size_t align = huge ? kHuge : 64;
  void* p = std::aligned_alloc(align, (bytes + align - 1) / align * align);
#if defined(__linux__)
  if (p && huge) madvise(p, bytes, MADV_HUGEPAGE);
#endif
  return p;
}

}  // namespace

Block allocate(std::size_t bytes) {
  if (bytes > std::size_t(1) << 46) throw std::bad_alloc();
  const int c = class_of(bytes);
  const auto size = static_cast<int64_t>(class_bytes(c));
  Cache& k = cache();
  void* p = nullptr;
  {
    std::lock_guard lock(k.mutex);
    if (!k.free[c].empty()) {
      p = k.free[c].back();
      k.free[c].pop_back();
      k.stats.cached -= size;
    } else {
      ++k.stats.system_requests;
    }
  }
  if (!p && !(p = from_system(class_bytes(c)))) {
    empty_cache();
    if (!(p = from_system(class_bytes(c)))) throw std::bad_alloc();
  }
  std::lock_guard lock(k.mutex);
  ++k.stats.allocations;
  k.stats.allocated_total += size;
  k.stats.in_use += size;
  k.stats.peak = std::max(k.stats.peak, k.stats.in_use);
  return {p, c};
}

void release(Block b) {
  Cache& k = cache();
  const auto size = static_cast<int64_t>(class_bytes(b.size_class));
  std::lock_guard lock(k.mutex);
  k.stats.in_use -= size;
#if defined(__SANITIZE_ADDRESS__)
  std::free(b.data);  // let the sanitizer see the end of every block
#else
  k.free[b.size_class].push_back(b.data);
  k.stats.cached += size;
#endif
}

Statistics statistics() {
  Cache& k = cache();
  std::lock_guard lock(k.mutex);
  return k.stats;
}

void reset_peak() {
  Cache& k = cache();
  std::lock_guard lock(k.mutex);
  k.stats.peak = k.stats.in_use;
}

void empty_cache() {
  Cache& k = cache();
  std::lock_guard lock(k.mutex);
  for (auto& list : k.free) {
    for (void* p : list) std::free(p);
    list.clear();
  }
  k.stats.cached = 0;
}

}  // namespace chainer::memory
