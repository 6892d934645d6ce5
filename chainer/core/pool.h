// Free lists per thread for the small objects of which a graph is made: bodies, nodes, functions. A list that grows,
// because this thread frees what others allocate, passes blocks on to all threads; memory without any block in use goes
// back to the system.
#pragma once
#include <cstddef>
#include <cstdint>

namespace chainer::pool {

/// Memory of at least `bytes`, aligned to 64. Blocks up to 4 KiB come from a list of this thread. Throws MemoryError.
[[nodiscard]] void* allocate(std::size_t bytes);
/// Gives back what allocate(bytes) returned, on any thread.
void release(void* p, std::size_t bytes);
/// What this thread allocated less what it released: where nothing is handed to other threads, the objects alive.
int64_t outstanding();
/// Gives this thread's free blocks to all, and unused memory to the system.
void trim();
/// Bytes that the pool has from the system now.
int64_t system_bytes();
/// A function that sets other memory free; the pool calls it before an allocation fails.
void set_reclaim(void (*reclaim)());

}  // namespace chainer::pool
