// SPDX-License-Identifier: MIT
// Communicators (manual: "Communicators").
#pragma once
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "chainer/core/kept.h"
#include "chainer/links/link.h"
#include "chainer/mn/object.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace mn {

class CommunicatorBase;
class GradientReducer;
class MeanChannel;
struct MeanOptions;
class RollCall;
class Transport;
/// The result of create_communicator(), shared by all objects that communicate.
using Communicator = std::shared_ptr<CommunicatorBase>;

/// Options of bcast_obj().
struct BcastObjOptions {
  int64_t max_buf_len = int64_t(256) << 20;  ///< bytes sent at a time
  int root = 0;
};

/// The processes ("ranks") that compute together. Methods without a suffix transfer arrays of any dtype, those with
/// _obj values of any kind (see Object). All methods except send and recv methods are collective: all ranks call them,
/// in the same order. Methods throw ValueError for a rank that does not exist.
///
/// Calls neither wait forever nor silently: see wait_limit() and warn_after(). The first collective call with a kind,
/// root, dtype and shape is compared over all ranks before it begins; if calls differ, all ranks throw RuntimeError
/// that names two ranks and their calls. Later calls are not compared; barrier() and every hundredth call detect if
/// earlier calls differed, whose results were then wrong. In debug mode (CHAINERMN_DEBUG=1 or CHAINER_DEBUG=1 on any
/// rank when the communicator is created) each call is compared.
class CommunicatorBase {
 public:
  virtual ~CommunicatorBase();
  CommunicatorBase(const CommunicatorBase&) = delete;

  /// The name for create_communicator(): naive, flat, ...
  const std::string& name() const { return name_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  /// The rank among the processes of the same host, and their number.
  int intra_rank() const { return intra_rank_; }
  int intra_size() const { return intra_size_; }
  /// The number of the host, in the order of the hosts' lowest ranks, and the number of hosts.
  int inter_rank() const { return inter_rank_; }
  int inter_size() const { return inter_size_; }
  /// Returns the name of the host of a rank.
  const std::string& host(int rank) const;
  bool debug() const { return debug_; }
  /// Returns a communicator of the same kind for each color, with ranks ordered by key and then by rank. Throws
  /// ValueError for a negative color. Collective.
  Communicator split(int color, int key);
  /// Returns a pointer to the MPI_Comm of these ranks, for programs that call MPI.
  const void* mpi_comm() const;

  // Arrays on devices pass through the host. Results are on the device of the argument, if there is one, or on the
  // host.

  /// Sends an array, or a tuple of arrays. Waits until the receiver has the data, unless they are small. Throws
  /// ValueError for sending to the own rank.
  void send(const Array& data, int dest, int tag = 0) { send_arrays(Arrays{data}, false, dest, tag); }
  void send(const Arrays& data, int dest, int tag = 0) { send_arrays(data, true, dest, tag); }
  /// Receive the data of send(). recv() takes one array (ValueError for a tuple), recv_tuple() takes either.
  Array recv(int source, int tag = 0);
  Arrays recv_tuple(int source, int tag = 0);
  /// Returns the array of rank root; `data` of other ranks is ignored. Sends `max_buf_len` bytes at a time, by default
  /// all at once.
  Array bcast(const Array& data, std::optional<int64_t> max_buf_len = {}, int root = 0);
  /// Returns the arrays of all ranks, in order, on rank root (gather) or on all ranks (allgather); nothing on other
  /// ranks. Shapes and dtypes may differ.
  Arrays gather(const Array& data, int root = 0);
  Arrays allgather(const Array& data);
  /// Sends array i of rank root's `xs` to rank i. Throws ValueError on all ranks unless there is one array for each
  /// rank.
  Array scatter(const Arrays& xs, int root = 0);
  /// Sends row i of rank root's array to rank i. Throws ValueError on all ranks unless there is one row for each rank.
  Array scatter(const Array& x, int root = 0);
  /// Sends array i of `xs` to rank i; array i of the result is from rank i. Shapes may differ. Throws ValueError unless
  /// there is one array for each rank.
  Arrays alltoall(const Arrays& xs);
  /// Returns the sum over all ranks; shapes and dtypes must be equal. Throws DtypeError for bool.
  Array allreduce(const Array& data);

  void send_obj(const Object& obj, int dest, int tag = 0);
  Object recv_obj(int source, int tag = 0);
  Object bcast_obj(const Object& obj, const BcastObjOptions& options = {});
  CHAINER_OTHER_OPTIONS_METHOD(bcast_obj, ".max_buf_len, .root", const Object&);
  /// Return the values of all ranks, in order, on rank root (gather_obj) or on all ranks (allgather_obj).
  ObjectList gather_obj(const Object& obj, int root = 0);
  ObjectList allgather_obj(const Object& obj);
  /// Returns the sum of all values, added in the order of ranks: see add() of Object.
  Object allreduce_obj(const Object& obj);
  /// Returns after all ranks have called it.
  void barrier();

  /// Copies the parameters of rank 0 to all ranks. Initializes parameters that are initialized on rank 0 only. Throws
  /// ValueError on all ranks if the models differ.
  void bcast_data(Link& model);
  /// Replaces gradients by their means over all ranks. (The manual says sums; all its implementations compute means.)
  /// Missing gradients count as zeros; if no rank has one, none is set. Values of parameters may differ; a parameter
  /// that some ranks have not initialized gets its value on the first rank that has. Throws ValueError on all ranks if
  /// the models differ.
  void allreduce_grad(Link& model);

  /// Ends the processes of all ranks.
  [[noreturn]] void abort(const std::string& message) const;

  /// Returns a channel for reductions of gradients, which run in parallel to other calls of this communicator.
  /// Collective.
  virtual std::unique_ptr<MeanChannel> make_mean_channel(const MeanOptions& options) = 0;
  /// Returns true if gradients are averaged parameter by parameter (naive) instead of in buckets.
  virtual bool one_by_one() const { return false; }
  Transport& transport() const { return *transport_; }
  RollCall& roll_call() const { return *roll_call_; }
  /// Return new transports for a thread: of the same ranks, of the ranks of this host, or of the ranks with this
  /// intra_rank on all hosts. Collective.
  std::unique_ptr<Transport> duplicate_transport();
  std::unique_ptr<Transport> intra_transport();
  std::unique_ptr<Transport> inter_transport();
  /// Returns a roll call of the same ranks, for calls in parallel to those of this communicator.
  std::unique_ptr<RollCall> another_roll_call(const std::string& name);

 protected:
  CommunicatorBase(std::string name, std::unique_ptr<Transport> transport, uint64_t id);
  /// Returns a communicator of this kind on other ranks.
  virtual Communicator make(std::unique_ptr<Transport> transport, uint64_t id) const = 0;

 private:
  static constexpr int kCollectiveTag = 32700;  // the tag of messages inside collective calls
  void send_arrays(const Arrays& data, bool tuple, int dest, int tag);
  Arrays receive_arrays(int source, int tag, bool* tuple);
  void expect_peer(const char* operation, int rank) const;
  void expect_root(const char* operation, int root) const;
  // Counts the call, and compares it with those of the other ranks unless it was compared before.
  void enter(const char* operation, const std::string& details = {});
  void compare_calls(const std::string& call, uint64_t key);
  [[noreturn]] void earlier_calls_differ() const;
  void send_bytes(const std::string& bytes, int to, int tag, const char* operation);
  std::string receive_bytes(int from, int tag, const char* operation);
  void broadcast_bytes(std::string& bytes, int root, int64_t piece, const char* operation);
  std::vector<std::string> gather_bytes(const std::string& mine, int root, const char* operation);
  std::vector<std::string> allgather_bytes(const std::string& mine, const char* operation);

  std::string name_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<RollCall> roll_call_;
  int rank_, size_, intra_rank_ = 0, intra_size_ = 0, inter_rank_ = 0, inter_size_ = 0;
  bool debug_ = false;
  static constexpr int kTrustedCalls = 100;
  static constexpr std::size_t kComparedCalls = 4096;
  std::unique_ptr<Transport> headers_;  // for comparisons
  std::set<uint64_t> compared_;         // hashes of calls that were compared
  uint64_t history_ = 0;                // a hash of all calls, in their order
  int trusted_ = 0;                     // calls since the last comparison
  int64_t children_ = 0;
  std::unique_ptr<GradientReducer> reducer_;  // used by allreduce_grad()
};

/// Options of create_communicator().
struct CreateCommunicatorOptions {
  const void* mpi_comm = nullptr;                  ///< a pointer to an MPI_Comm; all processes by default
  std::optional<Dtype> allreduce_grad_dtype = {};  ///< in which pure_nccl adds gradients; ValueError for others
};

/// Returns a communicator of one of these kinds, which differ in how gradients are averaged. Collective.
/// - naive: parameter by parameter, by MPI
/// - flat: in buckets, by MPI
/// - hierarchical: within a host through shared memory, then one rank of each host averages over the hosts by MPI
/// - two_dimensional: as hierarchical, but all ranks of a host share the work between hosts: each averages a slice
/// - single_node: through shared memory; throws ValueError if there is more than one host
/// - pure_nccl: as hierarchical
/// Of models on CUDA devices hierarchical, two_dimensional, single_node and pure_nccl average on the devices, by NCCL,
/// if all ranks find it (chainer info); otherwise through the host, which a warning says once.
/// Throws ValueError for another name, MissingPartError, naming the packages to install, in a build without MPI. The
/// first communicator initializes MPI, which is finalized at the end of the program.
Communicator create_communicator(const std::string& communicator_name = "hierarchical",
                                 const CreateCommunicatorOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(create_communicator, ".mpi_comm, .allreduce_grad_dtype", const std::string&);

}  // namespace mn
namespace chainermn = mn;
}  // namespace chainer
