// The caching allocator of host memory for array elements.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace chainer::memory {

/// A block from the cache; `size_class` goes back with it.
struct Block {
  void* data = nullptr;
  int size_class = 0;
};

/// Memory of at least `bytes`, aligned to 64 bytes; blocks from 2 MiB on ask the system for huge pages. The size
/// classes are four an octave; a freed block waits in its class for the next request.
[[nodiscard]] Block allocate(std::size_t bytes);
void release(Block block);

/// Counts in bytes, of size-class sizes.
struct Statistics {
  int64_t in_use = 0;           ///< held by arrays now
  int64_t peak = 0;             ///< the most that was in use since reset_peak()
  int64_t cached = 0;           ///< waiting for reuse
  int64_t allocations = 0;      ///< requests so far
  int64_t system_requests = 0;  ///< requests that went to the system
  int64_t allocated_total = 0;  ///< bytes over all requests
};
Statistics statistics();
void reset_peak();
/// Returns every cached block to the system.
void empty_cache();

}  // namespace chainer::memory
