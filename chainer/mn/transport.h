// SPDX-License-Identifier: MIT
// The interface of communicators to a message-passing library, without the headers of the library: transport_mpi.cpp
// implements it; transport_none.cpp throws MissingPartError.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chainer/array/array.h"

namespace chainer::mn {

/// A pending message or collective operation. If it is destroyed before it is done, its memory is kept until then.
class Operation {
 public:
  virtual ~Operation() = default;
  /// Makes progress and returns true if the operation is done.
  virtual bool done() = 0;
};
using Pending = std::unique_ptr<Operation>;

/// How values are reduced.
enum class Reduce { sum, max, min };

/// The ranks of one communicator. Only split() and duplicate() wait; any thread may call. Buffers must not be changed
/// until an operation is done; `keep` is held until then.
class Transport {
 public:
  using Keep = std::shared_ptr<const void>;
  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Returns a transport of the ranks of one color, ordered by key. Collective.
  virtual std::unique_ptr<Transport> split(int color, int key) = 0;
  virtual std::unique_ptr<Transport> duplicate() { return split(0, rank()); }

  virtual Pending send(const void* data, std::size_t bytes, int to, int tag, Keep keep) = 0;
  virtual Pending receive(void* data, std::size_t bytes, int from, int tag, Keep keep) = 0;
  /// Returns the sender of a message that has arrived from any rank; nothing if there is none.
  virtual std::optional<int> probe_any(int tag) = 0;
  virtual Pending broadcast(void* data, std::size_t bytes, int root, Keep keep) = 0;
  /// Gathers `bytes` bytes from each rank, in the order of ranks.
  virtual Pending allgather(const void* mine, void* all, std::size_t bytes, Keep keep) = 0;
  /// Reduces in place; sums of 16-bit numbers are computed in float32 and rounded.
  virtual Pending allreduce(void* data, int64_t count, Dtype dtype, Reduce how, Keep keep) = 0;
  /// Ends the processes of all ranks.
  [[noreturn]] virtual void abort(int status) = 0;
  /// Returns a pointer to the handle of the library.
  virtual const void* handle() const = 0;
};

/// Larger messages are sent in pieces, because the library counts in 32 bits.
inline constexpr std::size_t kLargestMessage = std::size_t(1) << 30;

/// Returns a transport of all processes that were started together, or, with a handle of the library (a pointer to an
/// MPI_Comm), of a copy of this communicator. Throws MissingPartError, naming the packages to install, in a build
/// without MPI.
std::unique_ptr<Transport> make_transport(const void* handle = nullptr);
/// Returns a transport of all processes without a collective call, for queries in parallel to other communication.
std::unique_ptr<Transport> world_transport();
/// Registers `serve`, which is called repeatedly in MPI_Finalize while this process waits for the other processes that
/// share a communicator with it to finalize.
void serve_while_ending(void (*serve)());
/// Return true if this build has MPI, and if MPI is running.
bool transport_available();
bool transport_running();

}  // namespace chainer::mn
