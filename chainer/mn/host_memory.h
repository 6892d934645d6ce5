// SPDX-License-Identifier: MIT
// Memory shared by the ranks of one host.
#pragma once
#include <memory>

#include "chainer/core/system/shared_memory.h"
#include "chainer/mn/roll_call.h"
#include "chainer/mn/transport.h"

namespace chainer::mn {

/// A section of shared memory for each rank of a host, and a barrier between the ranks. The memory has no name in a
/// file system, so nothing remains when processes end.
class HostMemory {
 public:
  /// Returns shared memory for `intra`, the ranks of one host, or nullptr on all of them if they cannot share memory
  /// (because of permissions between processes or a limit on memory). `roll` names ranks in messages; `ranks` holds the
  /// number in `roll` of each rank of the host. Collective.
  static std::unique_ptr<HostMemory> make(Transport& intra, const RollCall& roll, std::vector<int> ranks,
                                          std::size_t bytes);
  HostMemory(const HostMemory&) = delete;
  ~HostMemory();
  /// Returns the section of a rank of this host.
  char* section(int intra_rank) const;
  /// Returns after all ranks of the host have called it. Throws RuntimeError, naming missing ranks, after the wait
  /// limit.
  void barrier(const char* operation);

 private:
  HostMemory() = default;
  struct Head;
  struct Place;
  Place& place(int rank) const;
  char* base_ = nullptr;
  std::unique_ptr<SharedMemory> memory_;
  std::size_t stride_ = 0, head_bytes_ = 0;
  int rank_ = 0, size_ = 1;
  const RollCall* roll_ = nullptr;
  std::vector<int> ranks_;
};

}  // namespace chainer::mn
