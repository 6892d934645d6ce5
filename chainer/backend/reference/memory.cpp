// SPDX-License-Identifier: MIT
// Two address ranges of equal size. Nothing is ever mapped in the first, which provides the arrays' addresses; the
// elements are at the same offsets in the second. As with a real device, an address must be translated, by opened(),
// before it can be used.
#include "chainer/backend/reference/memory.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <vector>

#include "chainer/backend/reference/reference_backend.h"
#include "chainer/core/system/fork.h"
#include "chainer/core/system/pages.h"

namespace chainer::reference {
namespace {

constexpr std::size_t kRange = std::size_t(8) << 30;  // of addresses; pages are allocated when first written

struct Memory {
  ForkSafe<std::mutex> mutex{kForkLeaf};
  char* closed = nullptr;
  std::size_t used = 0;
  std::vector<void*> free[64];  // by size class: blocks of 2^class bytes

  Memory() {
    closed = static_cast<char*>(pages::reserve(2 * kRange));
    if (closed && !pages::open(closed + kRange, kRange)) closed = nullptr;
  }
};
Memory& memory() {
  static Memory* m = new Memory;  // never destroyed: arrays may outlive main()
  return *m;
}

}  // namespace

void* allocate_closed(std::size_t bytes, int* size_class) {
  if (bytes > kRange) return nullptr;
  const std::size_t size = std::bit_ceil(bytes < 64 ? 64 : bytes);
  *size_class = std::countr_zero(size);
  Memory& m = memory();
  void* address = nullptr;
  {
    const std::lock_guard lock(m.mutex);
    std::vector<void*>& free = m.free[*size_class];
    if (!free.empty()) {
      address = free.back();
      free.pop_back();
    } else if (m.closed && m.used + size <= kRange) {
      address = m.closed + m.used;
      m.used += size;
    } else {
      return nullptr;
    }
  }
  std::memset(opened(address), 0xff, bytes);
  return address;
}

void release_closed(void* address, int size_class) {
  Memory& m = memory();
  const std::lock_guard lock(m.mutex);
  m.free[size_class].push_back(address);
}

void* opened(const void* address) { return static_cast<char*>(const_cast<void*>(address)) + kRange; }

memory::Block ReferenceBackend::allocate(std::size_t bytes, int) {
  memory::Block b;
  b.data = allocate_closed(bytes, &b.size_class);
  return b;
}
void ReferenceBackend::release(memory::Block block, int) { release_closed(block.data, block.size_class); }

void ReferenceBackend::host_to_device(int, void* to, const void* from, std::size_t bytes) {
  std::memcpy(opened(to), from, bytes);
}
void ReferenceBackend::device_to_host(int, void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, opened(from), bytes);
}

}  // namespace chainer::reference
