// The caching allocator of host memory for array elements.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "chainer/array/dtype.h"
#include "chainer/array/shape.h"

namespace chainer::memory {

/// A block from a device's cache; `size_class` goes back with it, and means what the device wants.
struct Block {
  void* data = nullptr;
  int size_class = 0;
};

/// Memory of at least `bytes`, aligned to 64 bytes; blocks from 2 MiB on ask the system for huge pages. The size
/// classes are four an octave; a freed block waits in its class for the next request. Before a request fails, the cache
/// and the pool of small objects give back what they hold; then a MemoryError names the bytes wanted, in use and
/// cached.
[[nodiscard]] Block allocate(std::size_t bytes);
/// The same, but a block without data where there is no room.
[[nodiscard]] Block try_allocate(std::size_t bytes);
void release(Block block);
/// Throws MemoryError if this machine has less memory than `bytes`: an array that can never be computed.
void expect_possible(int64_t bytes, const Dims& shape, Dtype dtype, std::string_view operation);

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
/// Throws the MemoryError of an array that found no room on `device`: it names operation, shape, dtype and bytes, and
/// what `there` counts.
[[noreturn]] void refuse(int64_t bytes, const Dims& shape, Dtype dtype, std::string_view operation,
                         std::string_view device, const Statistics& there);
void reset_peak();
/// Returns every cached block, and memory of small objects that is not in use, to the system.
void empty_cache();
/// The most bytes that wait for reuse; beyond it, those that waited longest go back to the system. At first half of the
/// machine's memory (of the control group's, in a container).
void set_cache_limit(int64_t bytes);
int64_t cache_limit();

}  // namespace chainer::memory
