#include "chainer/core/pool.h"

#include <cstdlib>
#include <mutex>
#include <utility>
#include <new>

namespace chainer::pool {
namespace {

constexpr std::size_t kGranule = 64, kClasses = 65;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kPooled = false;  // recycled memory would hide errors from the sanitizers
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kPooled = false;
#else
constexpr bool kPooled = true;
#endif
#else
constexpr bool kPooled = true;
#endif

void* system_allocate(std::size_t bytes) {
  void* p = std::aligned_alloc(kGranule, bytes);
  if (!p) throw std::bad_alloc();
  return p;
}

struct Free {
  Free* next;
};

// Lists of threads that have ended; new threads take them over.
struct Orphans {
  std::mutex mutex;
  Free* lists[kClasses] = {};
};
Orphans& orphans() {
  static Orphans* o = new Orphans;  // never destroyed: threads may end after main
  return *o;
}

struct Lists {
  Free* heads[kClasses] = {};
  ~Lists() {
    Orphans& o = orphans();
    std::lock_guard lock(o.mutex);
    for (std::size_t c = 0; c < kClasses; ++c) {
      while (Free* f = heads[c]) {
        heads[c] = f->next;
        f->next = o.lists[c];
        o.lists[c] = f;
      }
    }
  }
};
thread_local Lists lists;
constinit thread_local int64_t balance = 0;

[[gnu::noinline]] void* refill(std::size_t c) {
  {
    Orphans& o = orphans();
    std::lock_guard lock(o.mutex);
    if (o.lists[c]) {
      Free* first = std::exchange(o.lists[c], nullptr);
      lists.heads[c] = first->next;
      return first;
    }
  }
  const std::size_t bytes = c * kGranule, count = bytes > 1024 ? 16 : 64;
  char* block = static_cast<char*>(system_allocate(bytes * count));
  for (std::size_t i = 1; i < count; ++i) {
    Free* f = reinterpret_cast<Free*>(block + i * bytes);
    f->next = lists.heads[c];
    lists.heads[c] = f;
  }
  return block;
}

}  // namespace

int64_t outstanding() { return balance; }

void* allocate(std::size_t bytes) {
  ++balance;
  const std::size_t c = (bytes + kGranule - 1) / kGranule;
  if (!kPooled || c >= kClasses) return system_allocate(c * kGranule);
  if (Free* f = lists.heads[c]) {
    lists.heads[c] = f->next;
    return f;
  }
  return refill(c);
}

void release(void* p, std::size_t bytes) {
  --balance;
  const std::size_t c = (bytes + kGranule - 1) / kGranule;
  if (!kPooled || c >= kClasses) return std::free(p);
  Free* f = static_cast<Free*>(p);
  f->next = lists.heads[c];
  lists.heads[c] = f;
}

}  // namespace chainer::pool
