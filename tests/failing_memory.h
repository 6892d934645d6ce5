// SPDX-License-Identifier: MIT
// Memory that fails when a test requests it. At most one source of a program may include this header: it defines the
// global operator new, and aligned_alloc, which allocates the elements of arrays.
#pragma once
#include <cstdlib>
#include <new>

#include "chainer/array/memory.h"

// The operator new of Clang's thread sanitizer cannot be replaced.
#if defined(__clang__) && defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CHAINER_MEMORY_DOES_NOT_FAIL
#endif
#endif

namespace failing_memory {
#ifdef CHAINER_MEMORY_DOES_NOT_FAIL
inline constexpr bool works = false;
#else
inline constexpr bool works = true;
#endif
inline thread_local int left = -1;  // requests until they fail; -1 for no end
inline bool ends() {
  if (left > 0) --left;
  return left == 0;
}
}  // namespace failing_memory

/// During its lifetime, allocations of this thread fail from number `at` (from 0) on. Elements of arrays are always
/// allocated by the system, not from the cache.
class FailingMemory {
 public:
  explicit FailingMemory(int at) : limit_(chainer::memory::cache_limit()) {
    chainer::memory::set_cache_limit(0);
    failing_memory::left = at + 1;
  }
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;
  ~FailingMemory() {
    failing_memory::left = -1;
    chainer::memory::set_cache_limit(limit_);
  }

 private:
  const int64_t limit_;
};

#ifndef CHAINER_MEMORY_DOES_NOT_FAIL
// Not inlined, since the compiler would warn about mismatched new and free, or malloc and delete.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (!failing_memory::ends())
    if (void* p = std::malloc(bytes ? bytes : 1)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return failing_memory::ends() ? nullptr : std::malloc(bytes ? bytes : 1);
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  void* p = nullptr;
  return !failing_memory::ends() && posix_memalign(&p, alignment, bytes) == 0 ? p : nullptr;
}
#endif
