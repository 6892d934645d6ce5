// SPDX-License-Identifier: MIT
#include "chainer/core/pool.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include "chainer/core/error.h"
#include "chainer/core/system/fork.h"
#include "chainer/core/system/pages.h"
#include "chainer/core/sanitizer.h"

namespace chainer::pool {
namespace {

constexpr std::size_t kGranule = 64, kClasses = 65, kSlab = std::size_t(256) << 10;
constexpr int kSpareSlabs = 16;

struct Free {
  Free* next;
};

// Memory of one size class, aligned to the slab size, so that a block's address gives its slab. Guarded by the store's
// lock.
struct Slab {
  Slab *previous, *next;  // in the store's list of slabs with free blocks
  Free* free;             // released blocks
  std::size_t bytes;      // size of a block
  uint32_t carved, used, capacity;

  bool exhausted() const { return !free && carved == capacity; }
  void* take() {
    ++used;
    if (Free* f = free) {
      free = f->next;
      return f;
    }
    return reinterpret_cast<char*>(this) + kGranule + bytes * carved++;
  }
};
static_assert(sizeof(Slab) <= kGranule);

std::atomic<void (*)()> reclaim{nullptr};
std::atomic<int64_t> slabs{0};

// Shared by all threads.
class Store {
 public:
  // Returns a list of up to `count` blocks of a class; nullptr if there is no memory.
  Free* take(std::size_t c, uint32_t& count) {
    const std::lock_guard lock(mutex_);
    Free* list = nullptr;
    uint32_t n = 0;
    for (; n < count; ++n) {
      Slab* s = ready_[c] ? ready_[c] : new_slab(c);
      if (!s) break;
      Free* f = static_cast<Free*>(s->take());
      if (s->exhausted()) unlink(c, s);
      f->next = list;
      list = f;
    }
    count = n;
    return list;
  }
  void put(std::size_t c, Free* list) {
    const std::lock_guard lock(mutex_);
    while (Free* f = list) {
      list = f->next;
      Slab* s = reinterpret_cast<Slab*>(reinterpret_cast<uintptr_t>(f) & ~(kSlab - 1));
      if (s->exhausted()) link(c, s);
      f->next = s->free;
      s->free = f;
      if (--s->used > 0) continue;
      unlink(c, s);
      if (spares_ == kSpareSlabs) {
        drop(s);
        continue;
      }
      s->next = spare_;
      spare_ = s;
      ++spares_;
    }
  }
  void trim() {
    const std::lock_guard lock(mutex_);
    while (Slab* s = spare_) {
      spare_ = s->next;
      drop(s);
    }
    spares_ = 0;
  }

 private:
  static void drop(Slab* s) {
    slabs.fetch_sub(1, std::memory_order_relaxed);
    pages::unmap(s, kSlab);
  }
  Slab* new_slab(std::size_t c) {
    Slab* s = spare_;
    if (s) {
      spare_ = s->next;
      --spares_;
    } else {
      if (!(s = static_cast<Slab*>(pages::map_aligned(kSlab)))) return nullptr;
      slabs.fetch_add(1, std::memory_order_relaxed);
    }
    const std::size_t bytes = c * kGranule;
    *s = {nullptr, nullptr, nullptr, bytes, 0, 0, static_cast<uint32_t>((kSlab - kGranule) / bytes)};
    link(c, s);
    return s;
  }
  void link(std::size_t c, Slab* s) {
    s->previous = nullptr;
    s->next = ready_[c];
    if (s->next) s->next->previous = s;
    ready_[c] = s;
  }
  void unlink(std::size_t c, Slab* s) {
    (s->previous ? s->previous->next : ready_[c]) = s->next;
    if (s->next) s->next->previous = s->previous;
  }

  ForkSafe<std::mutex> mutex_{kForkPool};
  Slab* ready_[kClasses] = {};
  Slab* spare_ = nullptr;
  int spares_ = 0;
};
Store& store() {
  static Store* s = new Store;  // never destroyed: threads may end after main()
  return *s;
}
[[maybe_unused]] const Store& made_early = store();  // before threads: fork() does not wait for a static's guard

// Returns how many free blocks a thread keeps: up to 1 MiB of a class. fetched() is the number fetched at a time.
constexpr uint32_t kept(std::size_t c) {
  return static_cast<uint32_t>(std::clamp<std::size_t>((std::size_t(1) << 20) / (c * kGranule), 256, 4096));
}
constexpr uint32_t fetched(std::size_t c) { return c * kGranule > 1024 ? 16 : 64; }

struct Kept {
  uint32_t most[kClasses];
  constexpr Kept() : most() {
    for (std::size_t c = 1; c < kClasses; ++c) most[c] = kept(c);
  }
};
constexpr Kept kKept;

struct Lists {
  Free* heads[kClasses] = {};
  uint32_t counts[kClasses] = {};
  int64_t balance = 0;
};
// A thread's lists are reached through one pointer, because libraries loaded at run time have little thread-local
// memory. The pointer has no constructor or destructor, so access costs nothing; the Guard below frees the lists at the
// end of the thread.
constinit thread_local Lists* lists = nullptr;
constinit thread_local bool ended = false;

void empty(Lists& l) {
  for (std::size_t c = 1; c < kClasses; ++c) {
    if (l.heads[c]) store().put(c, l.heads[c]);
    l.heads[c] = nullptr;
    l.counts[c] = 0;
  }
}

struct Guard {
  ~Guard() {
    ended = true;
    empty(*lists);
    delete std::exchange(lists, nullptr);
  }
};
// Returns this thread's lists; nullptr after the thread's end, or if there is no memory for them.
[[gnu::noinline]] Lists* begin() {
  if (ended || !(lists = new (std::nothrow) Lists)) return nullptr;
  thread_local Guard guard;
  return lists;
}
Lists* mine() { return lists ? lists : begin(); }

[[gnu::noinline]] void* from_system(std::size_t bytes) {
  void* p = std::aligned_alloc(kGranule, bytes);
  if (!p) {
    if (const auto f = reclaim.load()) f();
    p = std::aligned_alloc(kGranule, bytes);
  }
  if (!p) throw MemoryError("cannot allocate ", bytes, " bytes for an object");
  return p;
}

// Returns a list of `count` blocks of a class, or fewer.
Free* fetch(std::size_t c, uint32_t& count) {
  Free* f = store().take(c, count);
  if (!f) {
    if (const auto give_back = reclaim.load()) give_back();
    count = 1;
    f = store().take(c, count);
  }
  if (!f) throw MemoryError("cannot allocate ", c * kGranule, " bytes for an object");
  return f;
}

[[gnu::noinline]] void* refill(Lists& l, std::size_t c) {
  uint32_t count = fetched(c);
  Free* f = fetch(c, count);
  l.heads[c] = f->next;
  l.counts[c] = count - 1;
  return f;
}

// Moves the older half of a full list to the store.
[[gnu::noinline]] void spill(Lists& l, std::size_t c) {
  Free** at = &l.heads[c];
  const uint32_t keep = kKept.most[c] / 2;
  for (uint32_t i = 0; i < keep; ++i) at = &(*at)->next;
  Free* rest = *at;
  *at = nullptr;
  l.counts[c] = keep;
  store().put(c, rest);
}

[[gnu::noinline]] void* allocate_without_lists(std::size_t c) {
  uint32_t one = 1;
  return kSanitized || c >= kClasses ? from_system(c * kGranule) : fetch(c, one);
}

}  // namespace

int64_t outstanding() { return lists ? lists->balance : 0; }

void* allocate(std::size_t bytes) {
  const std::size_t c = (bytes + kGranule - 1) / kGranule;
  Lists* const l = mine();
  if (!l) [[unlikely]]
    return allocate_without_lists(c);
  void* p;
  if (kSanitized || c >= kClasses) {
    p = from_system(c * kGranule);
  } else if (Free* f = l->heads[c]) {
    l->heads[c] = f->next;
    --l->counts[c];
    p = f;
  } else {
    p = refill(*l, c);
  }
  ++l->balance;
  return p;
}

void release(void* p, std::size_t bytes) {
  const std::size_t c = (bytes + kGranule - 1) / kGranule;
  Lists* const l = mine();
  if (l) --l->balance;
  if (kSanitized || c >= kClasses) return std::free(p);
  Free* f = static_cast<Free*>(p);
  if (!l) [[unlikely]] {
    f->next = nullptr;
    return store().put(c, f);
  }
  f->next = l->heads[c];
  l->heads[c] = f;
  if (++l->counts[c] > kKept.most[c]) [[unlikely]]
    spill(*l, c);
}

void trim() {
  if (lists) empty(*lists);
  store().trim();
}
int64_t system_bytes() { return slabs.load(std::memory_order_relaxed) * static_cast<int64_t>(kSlab); }
void set_reclaim(void (*f)()) { reclaim = f; }

}  // namespace chainer::pool
