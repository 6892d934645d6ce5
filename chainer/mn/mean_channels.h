// SPDX-License-Identifier: MIT
// The two channels of means: by MPI only, and through the shared memory of a host.
#pragma once
#include "chainer/mn/communicator_base.h"
#include "chainer/mn/host_memory.h"
#include "chainer/mn/mean.h"

namespace chainer::mn {

/// The type in which elements are summed: float32 for 16-bit ones.
template <class T>
using Sum = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// Computes means over the ranks of a transport, in place, optionally in 16 bits. With 16 bits each rank receives its
/// slice from all others, adds in float32, rounds once, and sends the sum to all.
class Sender {
 public:
  Sender(Transport& transport, const RollCall& roll, std::vector<int> ranks, const MeanOptions& options, int64_t count);
  /// Replaces elements begin ... end of x by their sum over the ranks times `by`.
  template <class T>
  void mean(T* x, int64_t begin, int64_t end, double by, const Transport::Keep& keep);
  /// With error feedback, (2, count): the rounding errors of the values that this rank sent, and of the sums it
  /// computed.
  Array residual() const { return residual_; }
  void set_residual(const Array& a) {
    if (residual_ && a && a.shape() == residual_.shape()) residual_ = a.astype(float32).copy();
  }

 private:
  template <class N, class T>
  void mean_narrow(T* x, int64_t begin, int64_t end, double by);
  template <class N>
  void sum_narrow(N* y, int64_t n, float* rest);
  void wait_for_all(std::vector<Pending>& operations);
  Transport& transport_;
  const RollCall& roll_;
  std::vector<int> ranks_;
  MeanOptions options_;
  std::shared_ptr<Array> narrow_, received_;
  Array residual_;
};

struct PlainChannel : MeanChannel {
  PlainChannel(CommunicatorBase& comm, const MeanOptions& options);
  std::unique_ptr<MeanBuffer> make(int64_t count, Dtype dtype) override;
  MeanOptions options;
  std::unique_ptr<Transport> transport;
  std::unique_ptr<RollCall> roll;
};

struct HostChannel : MeanChannel {
  /// The communication between hosts: none if there is one host; the first ranks of the hosts average everything; or
  /// each rank averages a slice with the ranks of the same intra_rank on the other hosts.
  enum class Between { nothing, leaders, slices };
  HostChannel(CommunicatorBase& comm, const MeanOptions& options, bool slices);
  std::unique_ptr<MeanBuffer> make(int64_t count, Dtype dtype) override;
  MeanOptions options;
  int ranks;
  Between between = Between::nothing;
  std::unique_ptr<Transport> intra, inter;
  std::unique_ptr<RollCall> roll;
  std::vector<int> inter_ranks, host_ranks;
  PlainChannel plain;
};

}  // namespace chainer::mn
