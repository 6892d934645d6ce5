// SPDX-License-Identifier: MIT
// Means of gradients on devices.
#pragma once
#include "chainer/array/device_group.h"
#include "chainer/mn/communicator_base.h"
#include "chainer/mn/mean.h"

namespace chainer::mn {

/// Computes means on the devices of the ranks, which add them without the host.
class DeviceChannel : public MeanChannel {
 public:
  /// Returns null on all ranks, which a warning says once, if a rank has no device, or no library for sums over
  /// devices. Gradients are added in dtype `as`, by default in their own. Collective.
  static std::unique_ptr<DeviceChannel> make_channel(CommunicatorBase& comm, const MeanOptions& options,
                                                     std::optional<Dtype> as);
  std::unique_ptr<MeanBuffer> make(int64_t count, Dtype dtype) override;

 private:
  class Buffer;
  Device device_;
  std::optional<Dtype> as_;
  int ranks_ = 1;
  std::unique_ptr<RollCall> roll_;
  std::unique_ptr<DeviceGroup> group_;
};

}  // namespace chainer::mn
