// SPDX-License-Identifier: MIT
// Captured graphs. A thread captures its calls for a device in a stream of their own, so that the calls of other
// threads go on. The graph owns all memory that was freed in the capture, since each launch writes to it again.
#include <algorithm>
#include <utility>

#include "chainer/backend/cuda/device_state.h"

namespace chainer::cuda {

constinit thread_local CudaBackend::Capturing* CudaBackend::Capturing::here = nullptr;

class CudaBackend::GraphOfDevice final : public CapturedWork {
 public:
  GraphOfDevice(CudaBackend& backend, int index, Graph graph, Capturing& c)
      : backend_(backend),
        index_(index),
        graph_(graph),
        blocks_(std::exchange(c.spare, {})),
        constants_(std::exchange(c.constants, {})) {}
  GraphOfDevice(const GraphOfDevice&) = delete;
  GraphOfDevice& operator=(const GraphOfDevice&) = delete;
  ~GraphOfDevice() override {
    if (is_child()) return;
    DeviceState& d = *backend_.devices_[static_cast<std::size_t>(index_)];
    const std::lock_guard lock(d.mutex);
    backend_.driver().end_graph(index_, graph_);
    backend_.release_all(d, blocks_);
  }
  void launch() override {
    backend_.with_device(index_, [this](DeviceState& d) {
      Capturing::refuse(backend_, index_, "it launches a graph");
      d.launched[d.launches++ % kRemembered] = "a captured graph";
      ++d.counts.calls;
      d.driver.launch_graph(d.stream, graph_);
    });
  }

 private:
  CudaBackend& backend_;
  int index_;
  Graph graph_;
  std::vector<memory::Block> blocks_;
  Arrays constants_;
};

memory::Block CudaBackend::allocate_in(DeviceState& d, std::size_t bytes) {
  Capturing* const c = Capturing::of(*this, d.index);
  if (!c) return d.pool.allocate(bytes);
  auto best = c->spare.end();
  for (auto it = c->spare.begin(); it != c->spare.end(); ++it) {
    const std::size_t size = d.pool.size_of(*it);
    const bool fits = size >= bytes && size / 2 <= std::max(bytes, Pool::kUnit);
    if (fits && (best == c->spare.end() || size < d.pool.size_of(*best))) best = it;
  }
  memory::Block b;
  if (best == c->spare.end()) {
    b = d.pool.allocate(bytes);
  } else {
    b = *best;
    c->spare.erase(best);
  }
  if (!b.data) throw NotCaptured{"memory is short"};  // what frees memory must not become part of the graph
  c->made.insert(b.data);
  return b;
}

void CudaBackend::release_all(DeviceState& d, const std::vector<memory::Block>& blocks) noexcept {
  if (!d.lost.empty()) return;
  for (const memory::Block b : blocks) {
    try {
      driver_->end_block(d.index, d.stream, b.data, d.pool.size_of(b));
    } catch (const DeviceError&) {}  // the next call throws it
    try {
      d.pool.release(b);
    } catch (const DeviceError&) {}  // without a cache it waits for the device
  }
}

std::unique_ptr<CapturedWork> CudaBackend::capture(int index, const std::function<void()>& work) {
  // A graph keeps its kernels: programs that are being compiled would stay interpreted.
  if (!driver_->can_capture() || compiled_programs_.pending()) return nullptr;
  Capturing c{this, index, {}, {}, {}};
  const bool begun = with_device(index, [&](DeviceState& d) {
    if (std::exchange(d.is_captured, true)) return false;  // by another thread, or an outer capture of this one
    try {
      if (!d.captured) d.captured = driver_->make_stream(index);
      driver_->begin_capture(d.captured);
    } catch (...) {
      d.is_captured = false;
      throw;
    }
    return true;
  });
  if (!begun) return nullptr;
  Capturing* const outer = std::exchange(Capturing::here, &c);
  const auto drop = [&] {
    Capturing::here = outer;
    DeviceState& d = *devices_[static_cast<std::size_t>(index)];
    const std::lock_guard lock(d.mutex);
    d.is_captured = false;
    driver_->drop_capture(d.captured);
    release_all(d, c.spare);
  };
  try {
    work();
    if (!c.made.empty()) throw NotCaptured{"it keeps memory that it allocates"};
    auto made = with_device(index, [&](DeviceState& d) {
      const Graph graph = driver_->end_capture(d.captured);
      d.is_captured = false;
      return std::make_unique<GraphOfDevice>(*this, index, graph, c);
    });
    Capturing::here = outer;
    return made;
  } catch (...) {
    drop();
    throw;
  }
}

}  // namespace chainer::cuda
