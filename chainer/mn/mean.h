// SPDX-License-Identifier: MIT
// Means of gradients over ranks: their memory and their transfer.
#pragma once
#include <memory>
#include <optional>

#include "chainer/array/array.h"

namespace chainer::mn {

/// The number format of gradients sent between hosts; within a host they keep their dtype.
enum class Compression { none, float16, bfloat16 };

/// Options of a MeanChannel.
struct MeanOptions {
  Compression compression = Compression::none;
  bool error_feedback = false;  ///< adds rounding errors to the values of the next mean
  Device device = {};           ///< of the gradients
};

/// Memory whose elements are averaged over the ranks of a communicator.
class MeanBuffer {
 public:
  virtual ~MeanBuffer() = default;
  /// The elements of this rank, an array of one axis. Views of it may outlive the buffer.
  virtual Array& array() = 0;
  /// Replaces the elements by the mean over all ranks, bitwise equal on all ranks. May be called on any thread, for the
  /// buffers of a channel in the same order on all ranks. Collective.
  virtual void mean() = 0;
  /// Returns the accumulated rounding errors (float32) with error feedback; none otherwise.
  virtual Array residual() const { return {}; }
  virtual void set_residual(const Array& values) { (void)values; }
};

/// Makes mean buffers, whose calls run in parallel to those of the communicator.
class MeanChannel {
 public:
  virtual ~MeanChannel() = default;
  /// Returns a buffer. Throws DtypeError for a dtype that is not floating. Collective.
  virtual std::unique_ptr<MeanBuffer> make(int64_t count, Dtype dtype) = 0;
};

}  // namespace chainer::mn
