// SPDX-License-Identifier: MIT
// Execution of one block of threads by fibers on a thread of the host.
#pragma once
#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "chainer/backend/cuda/emulation/order.h"
#include "chainer/core/system/fiber.h"

namespace chainer::cuda::emulation {

inline constexpr int kWarp = 32, kMostThreads = 1024;
inline constexpr std::size_t kMostShared = 48 << 10;  // static and dynamic together

/// Runs blocks, one after another. Threads of a block run in turn until they wait; a waiting thread keeps its fiber,
/// and the next one runs in another fiber.
class BlockRunner {
 public:
  /// Runs the block at `place`. Throws DeviceError for errors of its threads.
  void run(Entry entry, void (*kernel)(), const void* args, std::size_t dynamic_bytes, std::string_view name);

  // Called by the threads of the block.
  void block_barrier(int line);
  uint64_t warp_meeting(WarpOp op, uint32_t mask, uint64_t value, int source, int line);
  void* shared_memory(const void* key, std::size_t bytes);
  void* dynamic_shared() { return dynamic_; }
  int lane() const { return current_ % kWarp; }

  /// Returns the object of the current thread of the host.
  static BlockRunner& own();

 private:
  enum State : uint8_t { kRuns, kWaits, kMeets, kEnded };
  struct Meeting {
    WarpOp op;
    int line, source;
    uint32_t mask;
    uint64_t value, result;
  };
  struct Warp {
    uint32_t arrived, alive;
  };
  struct Shared {
    const void* key;
    void* address;
  };

  static void body(void* self);
  [[noreturn]] void threads();
  void enter(int thread);
  void end_thread();
  void go_on();
  bool complete(int warp, uint32_t mask);
  Fiber* waiting_fiber();
  Fiber& free_fiber();
  void note(std::string what);
  void fail(std::string what);
  void prepare_shared(std::size_t dynamic_bytes);

  Entry entry_ = nullptr;
  void (*kernel_)() = nullptr;
  const void* args_ = nullptr;
  int n_ = 0, alive_ = 0, begun_ = 0, current_ = 0, at_barrier_ = 0, barrier_line_ = 0;
  Permutation permutation_{1, 0};
  std::string error_;
  Dim3 error_thread_;
  std::array<uint8_t, kMostThreads> state_;
  std::array<Fiber*, kMostThreads> fiber_of_;
  std::array<Meeting, kMostThreads> meeting_;
  std::array<Warp, kMostThreads / kWarp> warp_;
  std::unique_ptr<char[]> memory_;  // shared memory: named arrays, then the dynamic part
  char* dynamic_ = nullptr;
  std::size_t used_ = 0, taken_ = 0;  // of the room for static memory, with gaps; of kMostShared
  std::vector<Shared> shared_;
  Fiber own_;
  Fiber* fiber_ = nullptr;  // the running fiber
  std::deque<Fiber> fibers_;
  std::vector<Fiber*> free_;
};

}  // namespace chainer::cuda::emulation
