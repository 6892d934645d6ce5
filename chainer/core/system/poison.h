// SPDX-License-Identifier: MIT
// Marks memory as inaccessible for the address sanitizer; does nothing in other builds.
#pragma once
#include <cstddef>
#if defined(__SANITIZE_ADDRESS__)
#define CHAINER_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHAINER_ADDRESS_SANITIZER 1
#endif
#endif
#if defined(CHAINER_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace chainer {

#if defined(CHAINER_ADDRESS_SANITIZER)
inline void poison(const void* p, std::size_t bytes) { __asan_poison_memory_region(p, bytes); }
inline void unpoison(const void* p, std::size_t bytes) { __asan_unpoison_memory_region(p, bytes); }
#else
inline void poison(const void*, std::size_t) {}
inline void unpoison(const void*, std::size_t) {}
#endif

}  // namespace chainer
