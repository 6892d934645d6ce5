// SPDX-License-Identifier: MIT
#include "chainer/core/system/pages.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace chainer::pages {
namespace {

void* map(std::size_t bytes, int access, int flags) noexcept {
  void* p = ::mmap(nullptr, bytes, access, flags | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

}  // namespace

void* map(std::size_t bytes) noexcept { return map(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE); }

void* map_aligned(std::size_t bytes) noexcept {
  const auto offset = [bytes](void* p) { return reinterpret_cast<std::uintptr_t>(p) % bytes; };
  void* first = map(bytes);  // often adjacent to the previous mapping, and then aligned
  if (!first || offset(first) == 0) return first;
  unmap(first, bytes);
  char* p = static_cast<char*>(map(2 * bytes));
  if (!p) return nullptr;
  const std::size_t lead = (bytes - offset(p)) % bytes;
  if (lead) unmap(p, lead);
  unmap(p + lead + bytes, bytes - lead);
  return p + lead;
}

void* map_shared(std::size_t bytes, std::string& why) {
  void* p = map(bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE);
  if (!p) why = std::strerror(errno);
  return p;
}

void* reserve(std::size_t bytes) noexcept { return map(bytes, PROT_NONE, MAP_PRIVATE | MAP_NORESERVE); }

bool open(void* p, std::size_t bytes) noexcept { return ::mprotect(p, bytes, PROT_READ | PROT_WRITE) == 0; }

void unmap(void* p, std::size_t bytes) noexcept { ::munmap(p, bytes); }

void prefer_large(void* p, std::size_t bytes) noexcept { ::madvise(p, bytes, MADV_HUGEPAGE); }

bool limited() noexcept {
  const auto is_set = [](auto resource) {
    rlimit limit;
    return ::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  };
  return is_set(RLIMIT_AS) || is_set(RLIMIT_DATA);
}

}  // namespace chainer::pages
