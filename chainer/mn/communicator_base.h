// Communicators (manual: "Communicators").
#pragma once
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "chainer/core/kept.h"
#include "chainer/links/link.h"
#include "chainer/mn/object.h"

namespace chainer {
namespace mn {

class CommunicatorBase;
class GradientReducer;
class MeanChannel;
struct MeanOptions;
class RollCall;
class Transport;
/// What create_communicator() gives, and what everything else here keeps.
using Communicator = std::shared_ptr<CommunicatorBase>;

/// Options of bcast_obj().
struct BcastObjOptions {
  int64_t max_buf_len = int64_t(256) << 20;  ///< bytes sent at a time
  int root = 0;
};

/// The processes ("ranks") that compute together. Methods without a suffix carry arrays, of any dtype, those with _obj
/// values of any kind (see Object). Methods that are not named after sending or receiving are collective: all ranks
/// call them, in the same order.
///
/// No call waits for ever, nor silently: see wait_limit() and warn_after(). A collective of a kind, root, dtype and
/// shape that this communicator has not seen is compared over all ranks before it begins; different ones are a
/// RuntimeError on all of them that names two ranks and what each called. Later ones are trusted; barrier() and every
/// hundredth call find out whether earlier ones differed, whose results were wrong. In debug mode (CHAINERMN_DEBUG=1 or
/// CHAINER_DEBUG=1 on any rank when the communicator is made) each call is compared.
class CommunicatorBase {
 public:
  virtual ~CommunicatorBase();
  CommunicatorBase(const CommunicatorBase&) = delete;

  /// The word for create_communicator(): naive, flat, ...
  const std::string& name() const { return name_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Among the processes of the same host.
  int intra_rank() const { return intra_rank_; }
  int intra_size() const { return intra_size_; }
  /// The number of the host; hosts are numbered in the order of their lowest ranks.
  int inter_rank() const { return inter_rank_; }
  int inter_size() const { return inter_size_; }
  /// The host of a rank.
  const std::string& host(int rank) const;
  bool debug() const { return debug_; }
  /// Collective: a communicator of the same kind for each color, in which ranks are ordered by key, and by rank where
  /// keys are equal.
  Communicator split(int color, int key);
  /// A pointer to the MPI_Comm of these ranks, for whoever calls MPI itself.
  const void* mpi_comm() const;

  /// An array, or a tuple of arrays. Waits until the receiver has it, unless it is small. Sending to oneself, or to a
  /// rank that is not there, is a ValueError.
  void send(const Array& data, int dest, int tag = 0) { send_arrays(Arrays{data}, false, dest, tag); }
  void send(const Arrays& data, int dest, int tag = 0) { send_arrays(data, true, dest, tag); }
  /// What send() sent; recv() wants one array (ValueError for a tuple), recv_tuple() takes either.
  Array recv(int source, int tag = 0);
  Arrays recv_tuple(int source, int tag = 0);
  /// The array of rank root, whatever the others pass. `max_buf_len` bytes are sent at a time; all at once by default.
  Array bcast(const Array& data, std::optional<int64_t> max_buf_len = {}, int root = 0);
  /// The arrays of all ranks, in their order, at rank root; nothing elsewhere. Shapes and dtypes may differ.
  Arrays gather(const Array& data, int root = 0);
  Arrays allgather(const Array& data);
  /// Array i of rank root's `xs` goes to rank i; as many as there are ranks, else it is a ValueError on all of them.
  Array scatter(const Arrays& xs, int root = 0);
  /// Row i of rank root's array goes to rank i.
  Array scatter(const Array& x, int root = 0);
  /// Array i of `xs` goes to rank i, and array i of the result came from rank i. Shapes may differ, the number may not.
  Arrays alltoall(const Arrays& xs);
  /// The sum over all ranks; shapes and dtypes must be equal.
  Array allreduce(const Array& data);

  void send_obj(const Object& obj, int dest, int tag = 0);
  Object recv_obj(int source, int tag = 0);
  Object bcast_obj(const Object& obj, const BcastObjOptions& options = {});
  /// In the order of ranks at rank root, nothing elsewhere.
  ObjectList gather_obj(const Object& obj, int root = 0);
  ObjectList allgather_obj(const Object& obj);
  /// The sum of all, taken in the order of ranks: see add() of Object.
  Object allreduce_obj(const Object& obj);
  /// Returns when all ranks have called it.
  void barrier();

  /// Rank 0's parameters in all ranks, in their order of paths. A parameter that has its shape in rank 0 only gets it.
  void bcast_data(Link& model);
  /// Gradients become their means over all ranks. (The manual says sums; all its implementations take means.) Gradients
  /// that a rank lacks count as zeros; where no rank has one, there is none afterwards.
  void allreduce_grad(Link& model);

  /// Ends the processes of all ranks.
  [[noreturn]] void abort(const std::string& message) const;

  /// For reductions of gradients, which run beside other calls of this communicator. Collective.
  virtual std::unique_ptr<MeanChannel> make_mean_channel(const MeanOptions& options) = 0;
  /// Whether gradients go parameter by parameter (naive) instead of in buckets.
  virtual bool one_by_one() const { return false; }
  Transport& transport() const { return *transport_; }
  RollCall& roll_call() const { return *roll_call_; }
  /// Transports of their own, for a thread; collective: of the same ranks, of those of this host, of those with this
  /// intra_rank on all hosts.
  std::unique_ptr<Transport> duplicate_transport();
  std::unique_ptr<Transport> intra_transport();
  std::unique_ptr<Transport> inter_transport();
  /// A roll of the same ranks for calls that run beside this communicator's.
  std::unique_ptr<RollCall> another_roll_call(const std::string& name);

 protected:
  CommunicatorBase(std::string name, std::unique_ptr<Transport> transport, uint64_t id);
  /// A communicator of this kind on other ranks.
  virtual Communicator make(std::unique_ptr<Transport> transport, uint64_t id) const = 0;

 private:
  static constexpr int kCollectiveTag = 32700;  // of messages inside collectives
  void send_arrays(const Arrays& data, bool tuple, int dest, int tag);
  Arrays receive_arrays(int source, int tag, bool* tuple);
  void expect_peer(const char* operation, int rank) const;
  void expect_root(const char* operation, int root) const;
  // Counts the call, and compares it with those of the other ranks where it is not known yet.
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
  std::unique_ptr<GradientReducer> reducer_;  // of allreduce_grad
};

/// Options of create_communicator().
struct CreateCommunicatorOptions {
  const void* mpi_comm = nullptr;                  ///< a pointer to an MPI_Comm; all processes by default
  std::optional<Dtype> allreduce_grad_dtype = {};  ///< pure_nccl only, else a ValueError
};

/// Collective: a communicator of one of these kinds. They differ in how gradients are averaged.
/// - naive: parameter by parameter, by MPI
/// - flat: in buckets, by MPI
/// - hierarchical: within a host through shared memory, then one rank of each host averages over the hosts by MPI
/// - two_dimensional: as hierarchical, but all ranks of a host share the work between hosts: each averages a slice
/// - single_node: through shared memory; ValueError where there is more than one host
/// - pure_nccl: MissingPartError, as it needs CUDA and NCCL, and this library computes on the host
/// Another word is a ValueError. In a build without MPI it is a MissingPartError that names the packages to install.
/// The first communicator starts MPI; it is ended with the program.
Communicator create_communicator(const std::string& communicator_name = "hierarchical",
                                 const CreateCommunicatorOptions& options = {});

}  // namespace mn
namespace chainermn = mn;
}  // namespace chainer
