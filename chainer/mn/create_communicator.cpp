// SPDX-License-Identifier: MIT
#include <cstdlib>

#include "chainer/mn/device_channel.h"
#include "chainer/mn/global_except_hook.h"
#include "chainer/mn/mean_channels.h"
#include "chainer/mn/roll_call.h"

namespace chainer::mn {
namespace {

// Reduces gradients by MPI only: naive one parameter at a time, flat in buckets.
class PlainCommunicator : public CommunicatorBase {
 public:
  PlainCommunicator(std::string name, std::unique_ptr<Transport> transport, uint64_t id)
      : CommunicatorBase(std::move(name), std::move(transport), id) {}
  bool one_by_one() const override { return name() == "naive"; }
  std::unique_ptr<MeanChannel> make_mean_channel(const MeanOptions& options) override {
    return std::make_unique<PlainChannel>(*this, options);
  }
  Communicator make(std::unique_ptr<Transport> transport, uint64_t id) const override {
    return std::make_shared<PlainCommunicator>(name(), std::move(transport), id);
  }
};

// Reduces gradients in shared memory of each host, and those on devices by NCCL: hierarchical, two_dimensional,
// single_node, pure_nccl.
class HostCommunicator : public CommunicatorBase {
 public:
  HostCommunicator(std::string name, std::unique_ptr<Transport> transport, uint64_t id, std::optional<Dtype> as = {})
      : CommunicatorBase(std::move(name), std::move(transport), id), as_(as) {
    if (this->name() == "single_node" && inter_size() > 1)
      throw ValueError("create_communicator: single_node requires one host, not ", inter_size(), " (", host(0),
                       " and others)");
  }
  std::unique_ptr<MeanChannel> make_mean_channel(const MeanOptions& options) override {
    if (!options.device.is_host() && !options.error_feedback) {
      const Compression c = options.compression;
      const std::optional<Dtype> narrow = c == Compression::float16    ? std::optional<Dtype>(float16)
                                          : c == Compression::bfloat16 ? std::optional<Dtype>(bfloat16)
                                                                       : as_;
      if (auto channel = DeviceChannel::make_channel(*this, options, narrow)) return channel;
    }
    MeanOptions on_host = options;
    if (as_ == float16) on_host.compression = Compression::float16;
    if (as_ == bfloat16) on_host.compression = Compression::bfloat16;
    return std::make_unique<HostChannel>(*this, on_host, name() == "two_dimensional");
  }
  Communicator make(std::unique_ptr<Transport> transport, uint64_t id) const override {
    return std::make_shared<HostCommunicator>(name(), std::move(transport), id, as_);
  }

 private:
  std::optional<Dtype> as_;  // in which gradients are added
};

// The manual's reference has the one spelling, its tutorial and the release's code the other.
bool aborts_on_exception() {
  for (const char* name : {"CHAINERMN_FORCE_ABORT_ON_EXCEPTION", "CHAINERMN_FORCE_ABORT_ON_EXCEPTIONS"})
    if (const char* v = std::getenv(name); v && *v) return true;
  return false;
}

}  // namespace

Communicator create_communicator(const std::string& name, const CreateCommunicatorOptions& o) {
  const bool plain = name == "naive" || name == "flat";
  const bool host = name == "hierarchical" || name == "two_dimensional" || name == "single_node" || name == "pure_nccl";
  if (!plain && !host)
    throw ValueError("create_communicator: no communicator named '", name,
                     "'; available: naive, flat, hierarchical, two_dimensional, single_node, pure_nccl");
  if (o.allreduce_grad_dtype && name != "pure_nccl")
    throw ValueError("create_communicator: allreduce_grad_dtype requires pure_nccl, not ", name,
                     "; use the option compression of create_multi_node_optimizer");
  if (o.allreduce_grad_dtype && !is_floating(*o.allreduce_grad_dtype))
    throw ValueError("create_communicator: allreduce_grad_dtype must be floating, not ", *o.allreduce_grad_dtype);
  static int64_t made = 0;
  if (made == 0 && aborts_on_exception()) global_except_hook::add_hook();
  const auto id = static_cast<uint64_t>(++made) << 32;
  std::unique_ptr<Transport> transport = make_transport(o.mpi_comm);
  if (plain) return std::make_shared<PlainCommunicator>(name, std::move(transport), id);
  return std::make_shared<HostCommunicator>(name, std::move(transport), id, o.allreduce_grad_dtype);
}

}  // namespace chainer::mn
