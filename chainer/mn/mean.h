// Means of gradients over ranks: the memory that they are taken in, and how they travel.
#pragma once
#include <memory>
#include <optional>

#include "chainer/array/array.h"

namespace chainer::mn {

/// The numbers that gradients travel in between hosts; within a host they keep their dtype.
enum class Compression { none, float16, bfloat16 };

/// Options of a MeanChannel.
struct MeanOptions {
  Compression compression = Compression::none;
  bool error_feedback = false;  ///< what rounding takes away is added to the next mean's addend
};

/// Memory whose elements are averaged over the ranks of a communicator.
class MeanBuffer {
 public:
  virtual ~MeanBuffer() = default;
  /// This rank's elements, of one axis. Arrays that look into them may outlive the buffer.
  virtual Array& array() = 0;
  /// Collective: every rank's elements become the mean of all ranks' elements, with the same bits on all ranks. Called
  /// on any thread; the buffers of a channel in the same order on all ranks.
  virtual void mean() = 0;
  /// What rounding took away so far, where there is error feedback (float32); none elsewhere.
  virtual Array residual() const { return {}; }
  virtual void set_residual(const Array& values) { (void)values; }
};

/// Makes mean buffers, whose calls run beside those of the communicator.
class MeanChannel {
 public:
  virtual ~MeanChannel() = default;
  /// Collective. DtypeError for a dtype that is not floating.
  virtual std::unique_ptr<MeanBuffer> make(int64_t count, Dtype dtype) = 0;
};

}  // namespace chainer::mn
