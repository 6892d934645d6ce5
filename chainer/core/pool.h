// Free lists per thread for the small objects of which a graph is made: bodies, nodes, functions.
#pragma once
#include <cstddef>
#include <cstdint>

namespace chainer::pool {

/// Memory of at least `bytes`, aligned to 64. Blocks up to 4 KiB come from a list of this thread.
[[nodiscard]] void* allocate(std::size_t bytes);
/// Gives back what allocate(bytes) returned, on any thread.
void release(void* p, std::size_t bytes);
/// What this thread allocated less what it released: where nothing is handed to other threads, the objects alive.
int64_t outstanding();

}  // namespace chainer::pool
