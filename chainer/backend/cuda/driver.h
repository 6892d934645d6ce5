// SPDX-License-Identifier: MIT
// The interface of drivers: devices, memory, copies, streams, events, launches. There are two drivers: libcuda
// (driver_cuda.cpp) and the emulated one (emulation/driver_emulated.cpp).
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "chainer/array/array.h"
#include "chainer/array/operations/convolution.h"
#include "chainer/array/operations/kernel_text.h"
#include "chainer/array/operations/recurrent_layer.h"
#include "chainer/backend/cuda/launch.h"
#include "chainer/core/error.h"

namespace chainer::cuda {

/// An error in asynchronous work: the device is unusable.
class DeviceLost : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// A queue of work that runs in order, and a mark in it.
using Stream = struct StreamOfDriver*;
using Event = struct EventOfDriver*;
/// Work that was captured from a stream.
using Graph = struct GraphOfDriver*;

/// A matrix product for a library: alpha a b + beta out, where each is a stack of matrices with strides in elements.
/// `bias`, if given, is a row without gaps that is added to each row of the result.
struct ProductCall {
  struct Matrices {
    void* data;
    Shape shape;
    Strides strides;
  };
  Matrices a, b, out;
  Dtype dtype;
  double alpha, beta;
  void* bias = nullptr;
};

/// One of the operations of a convolution for a library. Tensors are (N, C, spatial...) and (K, C / groups, k...) with
/// two or three spatial axes, without gaps, in C order or channels-last.
struct LibraryConvolution {
  struct Tensor {
    void* data;
    Dims size, strides;  ///< in elements
    int64_t alignment;   ///< of `data` in bytes, at most 16
    bool is_given() const { return size.ndim() > 0; }
  };
  Convolution op;
  Tensor x, w, y;  ///< one of them is the output
  Dtype dtype;
  Dims stride, pad, pad_end, dilate;
  bool accumulate;
  bool tensor_cores;
  bool tune = false;  ///< measure the library's algorithms, once
  Tensor bias = {};   ///< (1, K, 1...): added to a forward result, which is not accumulated then; may not be given
};

/// Fourier transforms for a library, in place: `rows` rows of n complex numbers, each of which has its real and its
/// imaginary part next to each other. Results are not scaled.
struct FourierCall {
  void* data;
  int64_t n, rows;
  Dtype dtype;  ///< float32 or float64
  bool inverse;
};

/// The LU decomposition or the singular values of one matrix of double for a library. Matrices are column-major and
/// without gaps.
struct SolverCall {
  enum class Kind : uint8_t { factors, svd } kind;
  int64_t rows, columns;         ///< of factors the same, of singular values rows >= columns
  double* a = nullptr;           ///< is overwritten, by the factors if these are asked for
  double* inverse = nullptr;     ///< with factors, if not null: holds the identity matrix before
  int32_t* exchanged = nullptr;  ///< with factors: the row with which each row was exchanged, from 1 on
  double *u = nullptr, *s = nullptr, *vt = nullptr;  ///< (rows, columns), (columns), (columns, columns)
  int32_t* info = nullptr;  ///< two numbers, of which the first is positive if there is no result
};

/// The addresses of the arrays of a recurrent layer for a library (operations/recurrent_layer.h), without gaps. Items
/// are in the order in which they are read, so that the layer's `reverse` has no effect.
struct RecurrentCall {
  const RecurrentLayer* layer;
  void *x, *weights, *h, *c, *y;
  void *h_last = nullptr, *c_last = nullptr;  ///< written by forward
  void* kept = nullptr;                       ///< written by forward, overwritten by the gradients; null if unused
  void* workspace = nullptr;
  /// The gradients of y and of the last states, and those of x, the first states and the weights; the last may be null.
  void *gy = nullptr, *gh_last = nullptr, *gc_last = nullptr;
  void *gx = nullptr, *gh = nullptr, *gc = nullptr, *gweights = nullptr;
};

class Nccl;

/// Functions throw DeviceError with the call and the reason if they fail, DeviceLost if earlier work has failed.
class Driver {
 public:
  virtual ~Driver() = default;
  virtual int device_count() const = 0;
  /// Returns a description for users: "NVIDIA H100, 80 GiB".
  virtual std::string describe(int device) const = 0;

  /// Allocates memory of a device; returns nullptr if there is none.
  virtual void* allocate(int device, std::size_t bytes) = 0;
  virtual void release(int device, void* memory, std::size_t bytes) noexcept = 0;
  /// Called when the use of a block of `bytes` bytes in an allocation of `whole` bytes begins or ends; for checks.
  virtual void begin_block(int, Stream, void*, std::size_t, std::size_t) {}
  virtual void end_block(int, Stream, void*, std::size_t) {}
  /// Allocates host memory that all devices can access, for a device that the caller uses; copies from and to it are
  /// asynchronous. Returns nullptr if there is none.
  virtual void* allocate_pinned(int device, std::size_t bytes) = 0;
  virtual void release_pinned(void* memory, std::size_t bytes) noexcept = 0;
  /// Returns the offset between an array's address and the address in kernel arguments.
  virtual std::ptrdiff_t distance() const { return 0; }

  virtual Stream make_stream(int device) = 0;
  virtual void end_stream(Stream stream) noexcept = 0;
  /// Creates an event; with `times`, usable for seconds_between().
  virtual Event make_event(int device, bool times = false) = 0;
  virtual void end_event(Event event) noexcept = 0;
  virtual void record(Event event, Stream stream) = 0;
  /// Later work of the stream runs after the event.
  virtual void wait(Stream stream, Event event) = 0;
  virtual void synchronize(Event event) = 0;
  /// Returns true if the work before the event has run; does not wait.
  virtual bool reached(Event event) = 0;
  /// Returns the time between two events with times, which must have been waited for.
  virtual double seconds_between(Event begin, Event end) = 0;
  virtual void synchronize(Stream stream) = 0;

  /// Copies asynchronously. Pinned memory is read when the copy runs, other host memory before the call returns.
  virtual void copy_to_device(Stream stream, void* to, const void* from, std::size_t bytes) = 0;
  /// Copies to the host. Returns before pinned memory is written, but after other host memory is.
  virtual void copy_to_host(Stream stream, void* to, const void* from, std::size_t bytes) = 0;
  /// Copies from a device, after the work of `from_stream` so far, to another one, in `to_stream`. Later work of
  /// `from_stream` runs after the copy.
  virtual void copy_between(Stream to_stream, void* to, Stream from_stream, const void* from, std::size_t bytes) = 0;
  /// Copies within the memory of the stream's device, asynchronously.
  virtual void copy_within(Stream stream, void* to, const void* from, std::size_t bytes) = 0;

  /// Returns CUDA's handle of a stream, by which other libraries know it. Their streams are named by such handles here,
  /// CUDA's two default streams by 1 (legacy) and 2 (of the thread).
  virtual std::uintptr_t handle(Stream stream) = 0;
  /// Later work of the stream runs after the work of another library's stream so far.
  virtual void wait_for_other(Stream stream, std::uintptr_t other) = 0;
  /// Later work of another library's stream runs after the work of this stream so far.
  virtual void let_other_wait(std::uintptr_t other, Stream stream) = 0;
  virtual void launch(Stream stream, const Launch& launch, const void* args) = 0;

  /// Returns false if streams cannot be captured.
  virtual bool can_capture() const { return true; }
  /// From here on work of the stream, which must be idle and receive only launches, products and convolutions, by this
  /// thread, is stored instead of run.
  virtual void begin_capture(Stream stream) = 0;
  /// Returns the work since begin_capture().
  virtual Graph end_capture(Stream stream) = 0;
  /// Drops the work since begin_capture().
  virtual void drop_capture(Stream stream) noexcept = 0;
  /// Runs the work of a graph by one launch; arguments are those of the capture.
  virtual void launch_graph(Stream stream, Graph graph) = 0;
  /// May be called before launches of the graph have run.
  virtual void end_graph(int device, Graph graph) noexcept = 0;
  /// Returns the library for sums over devices of several processes, or null.
  virtual std::shared_ptr<const Nccl> groups() { return nullptr; }
  /// Joins a group of this library with a device; waits for the others.
  virtual void* join_group(int /*device*/, const std::string& /*key*/, int /*rank*/, int /*size*/) { return nullptr; }
  /// Adds arrays over a group, in place.
  virtual void sum_over(Stream, void* /*group*/, void* /*data*/, int64_t /*count*/, Dtype) {}
  /// Identifies the run-time compiler for a device: images for equal identifiers and sources are equal. Empty if there
  /// is no compiler.
  virtual std::string compiler(int /*device*/) { return {}; }
  /// Compiles a source in the dialect to an image. Thread-safe, also while other threads use the driver.
  virtual std::string compile(int /*device*/, const std::string& /*source*/) { return {}; }
  /// Makes the kernel of an image available on the device under a name.
  virtual void add_kernel(int /*device*/, const std::string& /*name*/, const std::string& /*image*/) {}
  /// As compiler(), for compile_text(), which also depends on the headers that a text may include.
  virtual std::string text_compiler(int device) { return compiler(device); }
  /// Compiles a kernel that a user wrote as text, as compile(). Throws DeviceError with the compiler's messages.
  virtual std::string compile_text(int /*device*/, const KernelText& /*kernel*/) { return {}; }
  /// Makes the function of its image available on the device under a name. Launches of it are `packed`.
  virtual void add_text_kernel(int /*device*/, const std::string& /*name*/, const std::string& /*image*/,
                               const std::string& /*function*/) {}
  /// Computes a product by a library; returns false if no library supports it.
  virtual bool multiply(Stream, const ProductCall&) { return false; }
  /// Returns the bytes of workspace that convolve() needs for a call; nothing if no library supports it.
  virtual std::optional<std::size_t> convolution_workspace(Stream, const LibraryConvolution&) { return {}; }
  virtual void convolve(Stream, const LibraryConvolution&, void* /*workspace*/) {}
  /// Returns the bytes of workspace that transform() needs for a call; nothing if no library supports it. The call has
  /// no data yet.
  virtual std::optional<std::size_t> fourier_workspace(Stream, const FourierCall&) { return {}; }
  virtual void transform(Stream, const FourierCall&, void* /*workspace*/) {}
  /// Returns the bytes of workspace that solve() needs for a call; nothing if no library supports it.
  virtual std::optional<std::size_t> solver_workspace(Stream, const SolverCall&) { return {}; }
  virtual void solve(Stream, const SolverCall&, void* /*workspace*/) {}
  /// Returns the bytes of workspace that the next two functions need for a layer, and the sizes of its arrays in
  /// `spaces` unless that is null; nothing if no library supports it.
  virtual std::optional<std::size_t> recurrent_workspace(Stream, const RecurrentLayer&, RecurrentSpaces* /*spaces*/) {
    return {};
  }
  virtual void recurrent_forward(Stream, const RecurrentCall&) {}
  /// Adds to the gradient of the weights.
  virtual void recurrent_backward(Stream, const RecurrentCall&) {}
};

}  // namespace chainer::cuda
