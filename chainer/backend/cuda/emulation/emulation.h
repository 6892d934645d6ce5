// SPDX-License-Identifier: MIT
// The emulated device for the host's compiler: threads of a block run in turn as fibers on one thread of the host. A
// thread gets its own fiber when it first waits, so kernels without barriers cost one call per thread. The emulation
// also detects undefined behaviour: barriers that not all threads reach, lanes that read from lanes outside of their
// mask, reads of uninitialized shared memory (it is filled with NaN), launches that exceed a device's limits. Results
// that depend on the order of threads or blocks can be found by changing the order (set_order).
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <typeinfo>

#include "chainer/backend/cuda/launch.h"

namespace chainer::cuda::emulation {

/// The order in which the threads of a block and the blocks of a grid run.
enum class Order { forward, backward, shuffled };
void set_order(Order order, uint32_t seed = 1);

/// The values of threadIdx, blockIdx, blockDim and gridDim for the running thread.
struct Place {
  Dim3 thread, block, block_dim, grid_dim;
};
extern thread_local constinit Place place;

/// Returns the block's shared memory for a key; it is uninitialized at first.
void* shared_memory(const void* key, std::size_t bytes);
template <class T>
T* shared(const void* key) {
  return static_cast<T*>(shared_memory(key, sizeof(T)));
}
void* dynamic_shared();

void block_barrier(int line);
enum class WarpOp : uint8_t { sync, shuffle, ballot };
/// Waits for all lanes of `mask`. Returns the value of lane `source`, or the mask of lanes with nonzero values.
uint64_t warp_meeting(WarpOp op, uint32_t mask, uint64_t value, int source, int line);
int lane();

/// Returns true if a kernel of that name is registered.
bool has_kernel(std::string_view name);
using Entry = void (*)(void (*kernel)(), const void* args);
/// Registers a kernel by name, like the loading of a device's module.
bool add_kernel(const char* name, void (*kernel)(), Entry entry, const std::type_info& args);
/// As add_kernel(), for a kernel with packed parameters of this size.
bool add_text_kernel(const char* name, void (*kernel)(), Entry entry, std::size_t bytes);
template <class Args>
bool add(const char* name, void (*kernel)(const Args&)) {
  const Entry entry = [](void (*k)(), const void* a) {
    reinterpret_cast<void (*)(const Args&)>(k)(*static_cast<const Args*>(a));
  };
  return add_kernel(name, reinterpret_cast<void (*)()>(kernel), entry, typeid(Args));
}

/// Throws DeviceError if a device would reject the launch: unknown kernel, wrong struct, sizes or memory beyond its
/// limits.
void check(const Launch& launch);
/// Runs a kernel over a grid accepted by check(). Throws DeviceError naming kernel, block and thread for errors in the
/// kernel.
void run(const Launch& launch, const void* args);
/// The numbers of launches and threads so far, and their time.
struct Counts {
  int64_t launches = 0, threads = 0;
  double seconds = 0;
};
Counts counts();

template <class T>
T shuffle(uint32_t mask, T value, int source, int line) {
  static_assert(sizeof(T) <= 8);
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = warp_meeting(WarpOp::shuffle, mask, bits, source, line);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

}  // namespace chainer::cuda::emulation

#define threadIdx (::chainer::cuda::emulation::place.thread)
#define blockIdx (::chainer::cuda::emulation::place.block)
#define blockDim (::chainer::cuda::emulation::place.block_dim)
#define gridDim (::chainer::cuda::emulation::place.grid_dim)

// Barriers and exchanges between lanes. There is no __activemask(): kernels must know their active lanes.
inline void __syncthreads(int line = __builtin_LINE()) { ::chainer::cuda::emulation::block_barrier(line); }
inline void __syncwarp(uint32_t mask = 0xffffffffu, int line = __builtin_LINE()) {
  using namespace ::chainer::cuda::emulation;
  warp_meeting(WarpOp::sync, mask, 0, -1, line);
}
template <class T>
T __shfl_sync(uint32_t mask, T v, int source, int width = 32, int line = __builtin_LINE()) {
  using namespace ::chainer::cuda::emulation;
  return shuffle(mask, v, lane() / width * width + source % width, line);
}
template <class T>
T __shfl_down_sync(uint32_t mask, T v, int delta, int width = 32, int line = __builtin_LINE()) {
  using namespace ::chainer::cuda::emulation;
  const int me = lane();
  return shuffle(mask, v, me % width + delta < width ? me + delta : me, line);
}
template <class T>
T __shfl_xor_sync(uint32_t mask, T v, int bits, int width = 32, int line = __builtin_LINE()) {
  using namespace ::chainer::cuda::emulation;
  const int me = lane(), other = me ^ bits;
  return shuffle(mask, v, other / width == me / width ? other : me, line);
}
inline uint32_t __ballot_sync(uint32_t mask, int predicate, int line = __builtin_LINE()) {
  using namespace ::chainer::cuda::emulation;
  return static_cast<uint32_t>(warp_meeting(WarpOp::ballot, mask, predicate != 0, -1, line));
}

// Threads run in turns, so an atomic operation is an ordinary one. Kernels use those whose result does not depend on
// the order of threads.
template <class T>
T atomicExch(T* at, std::type_identity_t<T> value) {
  const T before = *at;
  *at = value;
  return before;
}
template <class T>
T atomicAdd(T* at, std::type_identity_t<T> value) {
  const T before = *at;
  *at += value;
  return before;
}
template <class T>
T atomicMin(T* at, std::type_identity_t<T> value) {
  const T before = *at;
  if (value < before) *at = value;
  return before;
}
template <class T>
T atomicMax(T* at, std::type_identity_t<T> value) {
  const T before = *at;
  if (value > before) *at = value;
  return before;
}

inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline uint32_t __umulhi(uint32_t a, uint32_t b) { return static_cast<uint32_t>(uint64_t(a) * b >> 32); }
