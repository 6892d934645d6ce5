// Memory that the ranks of one host share.
#pragma once
#include <memory>

#include "chainer/core/shared_memory.h"
#include "chainer/mn/roll_call.h"
#include "chainer/mn/transport.h"

namespace chainer::mn {

/// A section of memory for each rank of a host, which all of them see, and a barrier between them. It is memory
/// without a name in any file system, so that nothing is left behind whenever a process ends.
class HostMemory {
 public:
  /// Collective over `intra`, the ranks of one host. Nothing where they cannot share memory (processes that may not
  /// look into each other, a limit on memory): the same answer on all of them. `roll` names ranks in errors, and
  /// `first` tells the number there of each rank of the host.
  static std::unique_ptr<HostMemory> make(Transport& intra, const RollCall& roll, std::vector<int> ranks,
                                          std::size_t bytes);
  HostMemory(const HostMemory&) = delete;
  ~HostMemory();
  /// The section of a rank of this host.
  char* section(int intra_rank) const;
  /// Returns when all ranks of the host have called it. RuntimeError past the wait limit, naming those that have not.
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
