// SPDX-License-Identifier: MIT
// Sums over devices of several processes by NCCL. They run in a stream of their own, beside the work of the device.
#include <utility>

#include "chainer/backend/cuda/device_state.h"
#include "chainer/backend/cuda/nccl.h"

namespace chainer::cuda {

class CudaBackend::GroupOfDevice final : public DeviceGroup {
 public:
  GroupOfDevice(CudaBackend& backend, int index, const std::string& key, int rank, int size)
      : backend_(backend), index_(index), library_(backend.driver_->groups()) {
    group_ = backend_.driver_->join_group(index, key, rank, size);  // without the lock: it waits for other processes
    backend_.with_device(index, [this](DeviceState& d) {
      stream_ = d.driver.make_stream(index_);
      begin_ = d.driver.make_event(index_);
      end_ = d.driver.make_event(index_);
    });
  }
  GroupOfDevice(const GroupOfDevice&) = delete;
  GroupOfDevice& operator=(const GroupOfDevice&) = delete;
  ~GroupOfDevice() override {
    if (is_child()) return;
    library_->leave(group_, failed_ || pending_);
    const std::lock_guard lock(backend_.devices_[static_cast<std::size_t>(index_)]->mutex);
    for (const Event e : {begin_, end_})
      if (e) backend_.driver().end_event(e);
    if (stream_) backend_.driver().end_stream(stream_);
  }

  void sum(Array& a) override {
    void* const data = a.mutable_raw();
    backend_.with_device(index_, [&](DeviceState& d) {
      Capturing::refuse(backend_, index_, "it adds over devices");
      d.driver.record(begin_, d.stream);
      d.driver.wait(stream_, begin_);
      ++d.counts.calls;
      d.driver.sum_over(stream_, group_, data, a.size(), a.dtype());
      d.driver.record(end_, stream_);
    });
    pending_ = true;
  }
  bool done() override {
    if (!pending_) return true;
    try {
      library_->check(group_);
      pending_ = !backend_.with_device(index_, [this](DeviceState& d) { return d.driver.reached(end_); });
    } catch (const DeviceError&) {
      failed_ = true;
      throw;
    }
    return !pending_;
  }

 private:
  CudaBackend& backend_;
  int index_;
  std::shared_ptr<const Nccl> library_;
  void* group_ = nullptr;
  Stream stream_ = nullptr;
  Event begin_ = nullptr, end_ = nullptr;
  bool pending_ = false, failed_ = false;
};

std::string CudaBackend::group_key(int index) {
  (void)stream(index);  // throws for a device that cannot be used
  const std::shared_ptr<const Nccl> library = driver_->groups();
  return library ? library->make_key() : std::string();
}
std::unique_ptr<DeviceGroup> CudaBackend::join_group(int index, const std::string& key, int rank, int size) {
  if (!driver_->groups()) return nullptr;
  return std::make_unique<GroupOfDevice>(*this, index, key, rank, size);
}

}  // namespace chainer::cuda
