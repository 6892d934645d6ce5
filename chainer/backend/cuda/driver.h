// What the backend asks of a driver: devices, memory, copies, streams, events, launches. There are two: libcuda
// (driver_cuda.cpp) and the emulated one (emulation/driver_emulated.cpp).
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "chainer/array/array.h"
#include "chainer/array/operations/convolution.h"
#include "chainer/backend/cuda/launch.h"
#include "chainer/core/error.h"

namespace chainer::cuda {

/// An error inside of work that was asked for earlier: the device takes nothing more.
class DeviceLost : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// Work that runs in the order in which it was asked for, and places in such an order.
using Stream = struct StreamOfDriver*;
using Event = struct EventOfDriver*;

/// A product of matrices for a library: alpha a b + beta out, each a stack of matrices with strides in elements.
struct ProductCall {
  struct Matrices {
    void* data;
    Shape shape;
    Strides strides;
  };
  Matrices a, b, out;
  Dtype dtype;
  double alpha, beta;
};

/// One of the operations of a convolution for a library. Tensors are (N, C, spatial...) and (K, C / groups, k...) with
/// two or three spatial axes, without gaps, in C order or with their channels last.
struct ConvolutionCall {
  struct Tensor {
    void* data;
    Dims size, strides;  ///< in elements
    int64_t alignment;   ///< of `data` in bytes, 16 at most
  };
  Convolution op;
  Tensor x, w, y;  ///< one of them is written
  Dtype dtype;
  Dims stride, pad, pad_end, dilate;
  bool accumulate;
  ConvolutionPlan::MatrixUnits units;
};

/// Entries throw DeviceError with the call and the reason where they fail at once, DeviceLost where earlier work did.
class Driver {
 public:
  virtual ~Driver() = default;
  virtual int device_count() const = 0;
  /// "NVIDIA H100, 80 GiB": for people.
  virtual std::string describe(int device) const = 0;

  /// Memory of a device; nullptr without room.
  virtual void* allocate(int device, std::size_t bytes) = 0;
  virtual void release(int device, void* memory, std::size_t bytes) noexcept = 0;
  /// A block of `bytes` out of `whole` begins to be used, or ends: for who looks for mistakes.
  virtual void begin_block(int, Stream, void*, std::size_t, std::size_t) {}
  virtual void end_block(int, Stream, void*, std::size_t) {}
  /// The host's memory that devices reach; copies from and to it do not wait. nullptr without room.
  virtual void* allocate_pinned(std::size_t bytes) = 0;
  virtual void release_pinned(void* memory, std::size_t bytes) noexcept = 0;
  /// What is added to an address of an array for a kernel's arguments.
  virtual std::ptrdiff_t distance() const { return 0; }

  virtual Stream make_stream(int device) = 0;
  virtual void end_stream(Stream stream) noexcept = 0;
  /// `times`: for seconds_between().
  virtual Event make_event(int device, bool times = false) = 0;
  virtual void end_event(Event event) noexcept = 0;
  virtual void record(Event event, Stream stream) = 0;
  /// What the stream gets from here on runs after the event.
  virtual void wait(Stream stream, Event event) = 0;
  virtual void synchronize(Event event) = 0;
  /// Of two events with times, which have been waited for.
  virtual double seconds_between(Event begin, Event end) = 0;
  virtual void synchronize(Stream stream) = 0;

  /// Pinned memory is read when the copy runs, other memory of the host at the call.
  virtual void copy_to_device(Stream stream, void* to, const void* from, std::size_t bytes) = 0;
  /// Returns before pinned memory was written; other memory of the host was.
  virtual void copy_to_host(Stream stream, void* to, const void* from, std::size_t bytes) = 0;
  virtual void launch(Stream stream, const Launch& launch, const void* args) = 0;
  /// What compiles kernels for a device while the program runs: images of one text and one source are equal. Empty
  /// where nothing does.
  virtual std::string compiler(int /*device*/) { return {}; }
  /// The image of a source in the dialect. Any thread may ask, also while others use the driver.
  virtual std::string compile(int /*device*/, const std::string& /*source*/) { return {}; }
  /// The device has the image's kernel of that name from here on.
  virtual void add_kernel(int /*device*/, const std::string& /*name*/, const std::string& /*image*/) {}
  /// Has a library multiply; false where there is none for this product.
  virtual bool multiply(Stream, const ProductCall&) { return false; }
  /// The bytes of working memory that convolve() wants for this call; nothing where no library takes it.
  virtual std::optional<std::size_t> convolution_workspace(Stream, const ConvolutionCall&) { return {}; }
  virtual void convolve(Stream, const ConvolutionCall&, void* /*workspace*/) {}
};

}  // namespace chainer::cuda
