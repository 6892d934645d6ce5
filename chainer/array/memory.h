// SPDX-License-Identifier: MIT
// The caching allocator of host memory for elements of arrays.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "chainer/array/dtype.h"
#include "chainer/array/shape.h"

namespace chainer::memory {

/// A block from a device's cache. `size_class` is passed back on release; its meaning depends on the device.
struct Block {
  void* data = nullptr;
  int size_class = 0;
};

/// Allocates at least `bytes` bytes, aligned to 64; blocks from 2 MiB on ask the system for huge pages. There are four
/// size classes per power of two; a freed block is cached in its class for reuse. Before a request fails, the cache and
/// the pool of small objects release their unused memory; then a MemoryError names the bytes wanted, in use and cached.
[[nodiscard]] Block allocate(std::size_t bytes);
/// As allocate(), but returns a block without data if there is no memory.
[[nodiscard]] Block try_allocate(std::size_t bytes);
void release(Block block);
/// Throws MemoryError if this machine has less memory than `bytes`, so that the array can never be computed.
void expect_possible(int64_t bytes, const Dims& shape, Dtype dtype, std::string_view operation);

/// Counters in bytes, rounded up to size classes.
struct Statistics {
  int64_t in_use = 0;           ///< held by arrays
  int64_t peak = 0;             ///< the largest in_use since reset_peak()
  int64_t cached = 0;           ///< cached for reuse
  int64_t allocations = 0;      ///< number of requests
  int64_t system_requests = 0;  ///< number of requests passed on to the system
  int64_t allocated_total = 0;  ///< sum over all requests
};
Statistics statistics();
/// Throws the MemoryError of an array for which `device` has no memory. The message has operation, shape, dtype, bytes
/// and the counters `there`.
[[noreturn]] void refuse(int64_t bytes, const Dims& shape, Dtype dtype, std::string_view operation,
                         std::string_view device, const Statistics& there);
void reset_peak();
/// Returns all cached blocks, and unused memory of small objects, to the system.
void empty_cache();
/// Limits the bytes cached for reuse; beyond the limit the oldest blocks are returned to the system. By default half of
/// the machine's memory (of the control group's, in a container).
void set_cache_limit(int64_t bytes);
int64_t cache_limit();

}  // namespace chainer::memory
