// SPDX-License-Identifier: MIT
// The state of a device, for the sources of CudaBackend only.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <set>

#include "chainer/array/operations/indices.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/kernels/indices.h"
#include "chainer/backend/cuda/staging.h"

namespace chainer::cuda {

inline constexpr std::size_t kRemembered = 32;  // launches listed in an error
inline constexpr std::size_t kChecks = 1024;    // index checks between two waits

/// True in children of fork(), which cannot use devices.
std::atomic<bool>& is_child();

/// The capture by this thread (captures.cpp).
struct CudaBackend::Capturing {
  const CudaBackend* backend;
  int index;
  std::vector<memory::Block> spare;  // freed during the capture: of the graph
  std::set<void*> made;              // addresses allocated during the capture and not freed yet
  Arrays constants;
  static constinit thread_local Capturing* here;
  /// Returns the capture of a device by this thread, or nullptr.
  static Capturing* of(const CudaBackend& b, int index) {
    return here && here->backend == &b && here->index == index ? here : nullptr;
  }
  /// Ends the capture if there is one, because of a call that cannot be captured.
  static void refuse(const CudaBackend& b, int index, const char* what) {
    if (of(b, index)) throw NotCaptured{what};
  }
};

// The state of a device, created when the device is first used.
struct CudaBackend::DeviceState final : Pool::Source {
  DeviceState(Driver& d, int i) : driver(d), index(i), pool(*this), staging(d, i) {}
  ~DeviceState() override {
    if (wrong) driver.release(index, wrong, kChecks * sizeof(WrongIndex));
    if (captured) driver.end_stream(captured);
    if (stream) driver.end_stream(stream);
  }
  void* take(std::size_t bytes) override {
    void* const memory = driver.allocate(index, bytes);
    return memory || !staging.release_zone(stream) ? memory : driver.allocate(index, bytes);
  }
  void give(void* memory, std::size_t bytes) noexcept override { driver.release(index, memory, bytes); }
  void wait() override { driver.synchronize(stream); }
  /// Returns the stream for launches by this thread.
  Stream work_stream(const CudaBackend& b) const { return Capturing::of(b, index) ? captured : stream; }

  Driver& driver;
  const int index;
  std::recursive_mutex mutex;  // recursive, because work of the emulated device runs under it and may call back
  Stream stream = nullptr;
  Pool pool;
  Staging staging;
  std::array<std::string, kRemembered> launched;
  std::size_t launches = 0;
  Counts counts;
  WrongIndex* wrong = nullptr;     // on the device, one for each of `checks`
  std::vector<IndexCheck> checks;  // since the last wait
  std::map<std::pair<Dtype, uint64_t>, Array> constants;
  std::map<std::vector<int64_t>, Array> reversed;  // rows of sequences from their ends, by the items of each time
  std::string lost;
  Stream captured = nullptr;  // receives the work of the thread that captures
  bool is_captured = false;
};

// Calls f with a working device, under its lock. If f finds that the device is lost, the error lists the last launches,
// as do the errors of all later calls.
template <class F>
auto CudaBackend::with_device(int index, F&& f) {
  expect_number(index);
  if (is_child()) throw DeviceError(name(index), ": a child process of fork() cannot use the devices of its parent");
  DeviceState& d = *devices_[static_cast<std::size_t>(index)];
  const std::lock_guard lock(d.mutex);
  if (!d.lost.empty()) throw DeviceError(d.lost);
  try {
    if (!d.stream) d.stream = driver_->make_stream(index);
    return f(d);
  } catch (const DeviceLost& e) {
    d.lost = text(name(index), " is lost: ", e.what(), "; launched last:");
    for (std::size_t k = d.launches - std::min(d.launches, kRemembered); k < d.launches; ++k)
      d.lost += " " + d.launched[k % kRemembered];
    throw DeviceError(d.lost);
  }
}

}  // namespace chainer::cuda
