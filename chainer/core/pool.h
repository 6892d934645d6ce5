// SPDX-License-Identifier: MIT
// Per-thread free lists for the small objects of a graph: array bodies, nodes, functions. A list that grows, because
// its thread frees blocks allocated by other threads, hands blocks to all threads. Slabs without a used block are
// returned to the system.
#pragma once
#include <cstddef>
#include <cstdint>

namespace chainer::pool {

/// Allocates at least `bytes` bytes, aligned to 64. Blocks of up to 4 KiB come from a list of this thread. Throws
/// MemoryError.
[[nodiscard]] void* allocate(std::size_t bytes);
/// Frees memory returned by allocate(bytes); may be called on any thread.
void release(void* p, std::size_t bytes);
/// Returns the number of blocks allocated minus the number released on this thread: the live objects, if none is handed
/// to another thread.
int64_t outstanding();
/// Hands the free blocks of this thread to all threads, and returns unused memory to the system.
void trim();
/// Returns the bytes that the pool currently holds from the system.
int64_t system_bytes();
/// Sets a function that frees other memory; it is called before an allocation fails.
void set_reclaim(void (*reclaim)());

}  // namespace chainer::pool
