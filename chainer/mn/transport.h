// What communicators need of a message-passing library. No header of that library stands behind it: transport_mpi.cpp
// implements it, transport_none.cpp says what to install.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chainer/array/array.h"

namespace chainer::mn {

/// A message or a collective that is under way. One that is dropped before it is done keeps its memory until then.
class Operation {
 public:
  virtual ~Operation() = default;
  /// Whether it is done; drives it on.
  virtual bool done() = 0;
};
using Pending = std::unique_ptr<Operation>;

/// How values are reduced.
enum class Reduce { sum, max, min };

/// The ranks of one communicator. Nothing here waits but split() and duplicate(); any thread may call. Buffers stay
/// untouched until an operation is done; `keep` is held so long.
class Transport {
 public:
  using Keep = std::shared_ptr<const void>;
  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Collective: ranks of one colour, ordered by key.
  virtual std::unique_ptr<Transport> split(int color, int key) = 0;
  virtual std::unique_ptr<Transport> duplicate() { return split(0, rank()); }

  virtual Pending send(const void* data, std::size_t bytes, int to, int tag, Keep keep) = 0;
  virtual Pending receive(void* data, std::size_t bytes, int from, int tag, Keep keep) = 0;
  /// The sender of a message that has come from anybody; nothing while there is none.
  virtual std::optional<int> probe_any(int tag) = 0;
  virtual Pending broadcast(void* data, std::size_t bytes, int root, Keep keep) = 0;
  /// As many bytes from each rank, in the order of ranks.
  virtual Pending allgather(const void* mine, void* all, std::size_t bytes, Keep keep) = 0;
  /// In place; sums of 16-bit numbers are taken in float32 and rounded.
  virtual Pending allreduce(void* data, int64_t count, Dtype dtype, Reduce how, Keep keep) = 0;
  /// Ends the processes of all ranks.
  [[noreturn]] virtual void abort(int status) = 0;
  /// A pointer to the library's own handle.
  virtual const void* handle() const = 0;
};

/// Messages larger than this go in pieces: the library counts in 32 bits.
inline constexpr std::size_t kLargestMessage = std::size_t(1) << 30;

/// All processes that were started together, made on first use; with a library's handle (a pointer to an MPI_Comm), a
/// copy of that communicator. MissingPartError in a build without MPI, naming the packages to install.
std::unique_ptr<Transport> make_transport(const void* handle = nullptr);
/// All processes, without a call that they would have to make together: for questions beside other communication.
std::unique_ptr<Transport> world_transport();
/// `serve` is called over and over while this process, which wants to end, waits for all that share a communicator with
/// it to want the same: from MPI_Finalize on, whoever calls that.
void serve_while_ending(void (*serve)());
/// Whether this build has MPI, and whether it is running.
bool transport_available();
bool transport_running();

}  // namespace chainer::mn
