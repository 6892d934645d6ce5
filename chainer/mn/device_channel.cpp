// SPDX-License-Identifier: MIT
#include "chainer/mn/device_channel.h"

#include <utility>

#include "chainer/array/backend.h"
#include "chainer/core/warnings.h"
#include "chainer/mn/roll_call.h"
#include "chainer/mn/transport.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::mn {

class DeviceChannel::Buffer final : public MeanBuffer {
 public:
  Buffer(DeviceChannel& channel, int64_t count, Dtype dtype)
      : channel_(channel), array_(zeros({count}, dtype).to_device(channel.device_)) {}
  Array& array() override { return array_; }
  // Divides before it adds, so that sums do not overflow in 16 bits.
  void mean() override {
    channel_.roll_->enter("mean");
    if (!array_.size()) return;
    const Dtype as = channel_.as_.value_or(array_.dtype());
    Array sum = (array_ * (1.0 / channel_.ranks_)).astype(as);
    force(sum.body());
    channel_.group_->sum(sum);
    channel_.roll_->wait_until([this] { return channel_.group_->done(); }, "mean", {});
    copy_elements(sum, array_);
    force(array_.body());
  }

 private:
  DeviceChannel& channel_;
  Array array_;
};

std::unique_ptr<DeviceChannel> DeviceChannel::make_channel(CommunicatorBase& comm, const MeanOptions& o,
                                                           std::optional<Dtype> as) {
  std::unique_ptr<DeviceChannel> out(new DeviceChannel);
  out->device_ = o.device;
  out->as_ = as;
  out->ranks_ = comm.size();
  out->roll_ = comm.another_roll_call(comm.name() + " (gradients on devices)");
  Backend& backend = o.device.backend();
  // (A rank without the library has an empty key.)
  const std::string mine = o.device.is_host() ? std::string() : backend.group_key(o.device.index());
  bool all = true, any = false;
  std::string key;
  for (const Object& other : comm.allgather_obj(Object(mine))) {
    all = all && !other.to_text().empty();
    any = any || !other.to_text().empty();
    if (key.empty()) key = other.to_text();
  }
  if (!all) {
    static bool said = false;
    if (!std::exchange(said, true) && (any || !o.device.is_host()))
      warn(text(comm.name(), ": NCCL (libnccl.so.2) was not found on all ranks, so gradients on devices are averaged ",
                "through the host; it is a package of Python; CHAINER_NCCL_LIBRARY names its file"));
    return nullptr;
  }
  out->group_ = backend.join_group(o.device.index(), key, comm.rank(), comm.size());
  return out;
}

std::unique_ptr<MeanBuffer> DeviceChannel::make(int64_t count, Dtype dtype) {
  if (!is_floating(dtype)) throw DtypeError("mean: gradients must have a floating dtype, not ", dtype);
  return std::make_unique<Buffer>(*this, count, dtype);
}

}  // namespace chainer::mn
