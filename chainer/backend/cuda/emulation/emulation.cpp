// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/emulation/emulation.h"

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>

#include "chainer/backend/cuda/emulation/block.h"
#include "chainer/core/error.h"

namespace chainer::cuda::emulation {

[[gnu::tls_model("initial-exec")]] thread_local constinit Place place;

namespace {

constexpr std::size_t kMostArguments = 4 << 10;

std::atomic<Ordering> chosen{Ordering{}};
std::atomic<int64_t> launches{0}, threads{0}, nanoseconds{0};

struct Known {
  void (*kernel)();
  Entry entry;
  const std::type_info* args;
  std::size_t bytes = 0;  // of packed parameters
};
// The kernels by name. Entries are never changed; programs may add kernels while others run.
class KernelList {
 public:
  const Known* find(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const auto it = all_.find(name);
    return it == all_.end() ? nullptr : &it->second;
  }
  bool add(const char* name, const Known& kernel) {
    const std::lock_guard lock(mutex_);
    return all_.emplace(name, kernel).second;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Known, std::less<>> all_;
};
KernelList& known() {
  static auto* all = new KernelList;
  return *all;
}

}  // namespace

void set_order(Order order, uint32_t seed) { chosen = Ordering{order, seed}; }
Ordering ordering() { return chosen.load(std::memory_order_relaxed); }
void* shared_memory(const void* key, std::size_t bytes) { return BlockRunner::own().shared_memory(key, bytes); }
void* dynamic_shared() { return BlockRunner::own().dynamic_shared(); }
void block_barrier(int line) { BlockRunner::own().block_barrier(line); }
uint64_t warp_meeting(WarpOp op, uint32_t mask, uint64_t value, int source, int line) {
  return BlockRunner::own().warp_meeting(op, mask, value, source, line);
}
int lane() { return BlockRunner::own().lane(); }
Counts counts() { return {launches, threads, static_cast<double>(nanoseconds) * 1e-9}; }

bool add_kernel(const char* name, void (*kernel)(), Entry entry, const std::type_info& args) {
  if (!known().add(name, {kernel, entry, &args, 0})) throw DeviceError("two kernels are named ", name);
  return true;
}
bool add_text_kernel(const char* name, void (*kernel)(), Entry entry, std::size_t bytes) {
  return known().add(name, {kernel, entry, &typeid(PackedParameters), bytes});
}
bool has_kernel(std::string_view name) { return known().find(name); }

void check(const Launch& l) {
  const auto refuse = [&](const auto&... why) {
    throw DeviceError("launch of ", l.kernel, ", grid ", l.grid, ", block ", l.block, ": ", why...);
  };
  const Known* const k = known().find(l.kernel);
  if (!k) refuse("no such kernel");
  if (*k->args != *l.args_type) refuse("the kernel has arguments of another type");
  if (l.packed && k->bytes != l.args_bytes)
    refuse("its parameters have ", k->bytes, " bytes, the given arguments ", l.args_bytes);
  if (l.block.count() == 0 || l.block.count() > uint64_t(kMostThreads) || l.block.z > 64)
    refuse("a block must have 1 to ", kMostThreads, " threads, at most 64 of them along z");
  if (l.grid.count() == 0 || l.grid.x > 0x7fffffffu || l.grid.y > 65535 || l.grid.z > 65535)
    refuse("a grid must have 1 to 2147483647 blocks along x, 1 to 65535 along y and z");
  if (l.dynamic_shared > kMostShared)
    refuse(l.dynamic_shared, " bytes of shared memory exceed the limit of ", kMostShared);
  if (l.args_bytes > kMostArguments) refuse(l.args_bytes, " bytes of arguments exceed the limit of ", kMostArguments);
}

void run(const Launch& l, const void* args) {
  const auto begin = std::chrono::steady_clock::now();
  const Known& k = *known().find(l.kernel);
  const uint64_t blocks = l.grid.count();
  launches.fetch_add(1, std::memory_order_relaxed);
  threads.fetch_add(static_cast<int64_t>(l.block.count() * blocks), std::memory_order_relaxed);
  place.block_dim = l.block, place.grid_dim = l.grid;
  const Permutation permutation(static_cast<uint32_t>(blocks), 77);
  BlockRunner& runner = BlockRunner::own();
  for (uint64_t i = 0; i < blocks; ++i) {
    const uint64_t b = blocks <= 0xffffffffu ? permutation[static_cast<uint32_t>(i)] : i;
    place.block = {static_cast<unsigned>(b % l.grid.x), static_cast<unsigned>(b / l.grid.x % l.grid.y),
                   static_cast<unsigned>(b / l.grid.x / l.grid.y)};
    runner.run(k.entry, k.kernel, args, l.dynamic_shared, l.kernel);
  }
  nanoseconds += std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace chainer::cuda::emulation
