// SPDX-License-Identifier: MIT
#include <cstdlib>

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

// Reduces gradients in shared memory of each host: hierarchical, two_dimensional, single_node.
class HostCommunicator : public CommunicatorBase {
 public:
  HostCommunicator(std::string name, std::unique_ptr<Transport> transport, uint64_t id)
      : CommunicatorBase(std::move(name), std::move(transport), id) {
    if (this->name() == "single_node" && inter_size() > 1)
      throw ValueError("create_communicator: single_node requires one host, not ", inter_size(), " (", host(0),
                       " and others)");
  }
  std::unique_ptr<MeanChannel> make_mean_channel(const MeanOptions& options) override {
    return std::make_unique<HostChannel>(*this, options, name() == "two_dimensional");
  }
  Communicator make(std::unique_ptr<Transport> transport, uint64_t id) const override {
    return std::make_shared<HostCommunicator>(name(), std::move(transport), id);
  }
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
  const bool host = name == "hierarchical" || name == "two_dimensional" || name == "single_node";
  if (!plain && !host && name != "pure_nccl")
    throw ValueError("create_communicator: no communicator named '", name,
                     "'; available: naive, flat, hierarchical, two_dimensional, single_node, pure_nccl");
  if (o.allreduce_grad_dtype && name != "pure_nccl")
    throw ValueError("create_communicator: allreduce_grad_dtype requires pure_nccl, not ", name,
                     "; use the option compression of create_multi_node_optimizer");
  if (name == "pure_nccl")
    throw MissingPartError(
        "create_communicator: pure_nccl needs CUDA and NCCL, and this build computes on the host; hierarchical is the "
        "fastest one here");
  static int64_t made = 0;
  if (made == 0 && aborts_on_exception()) global_except_hook::add_hook();
  const auto id = static_cast<uint64_t>(++made) << 32;
  std::unique_ptr<Transport> transport = make_transport(o.mpi_comm);
  if (plain) return std::make_shared<PlainCommunicator>(name, std::move(transport), id);
  return std::make_shared<HostCommunicator>(name, std::move(transport), id);
}

}  // namespace chainer::mn
