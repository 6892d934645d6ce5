// SPDX-License-Identifier: MIT
// The driver of emulated devices.
#pragma once
#include <map>
#include <mutex>
#include <set>

#include "chainer/backend/cuda/cudnn.h"
#include "chainer/backend/cuda/cudnn_rnn.h"
#include "chainer/backend/cuda/driver.h"
#include "chainer/backend/cuda/emulation/stream.h"

namespace chainer::cuda::emulation {

/// Devices whose memory is at unmapped addresses: the elements are at the same offsets of another range, which only
/// launches and copies access. New blocks are filled with ones (NaN for floating-point types).
class EmulatedDriver : public Driver {
 public:
  struct Options {
    int devices = 2;
    std::size_t memory = std::size_t(4) << 30;  ///< of each device
    bool eager = false;                         ///< work runs at the call, not when a thread waits for it
    /// A command that compiles a program's source to a shared library when " -o LIBRARY SOURCE" is appended: the
    /// compiler of this program, with the folder of the library's headers. If empty, programs are interpreted.
    std::string compiler = {};
  };
  /// Returns the options set by CHAINER_EMULATED_DEVICES, CHAINER_EMULATED_STREAMS=eager, and
  /// CHAINER_EMULATED_COMPILER.
  static Options options_of_environment();

  explicit EmulatedDriver(Options options);
  ~EmulatedDriver() override;
  /// Makes the n-th following call for a device fail (1 is the next one): allocate() returns nullptr, other calls throw
  /// DeviceError. 0 disables this.
  void fail_at(int64_t call) { fail_at_ = call; }
  /// Makes each begin of a capture fail.
  void fail_captures(bool fail) { fail_captures_ = fail; }
  /// Returns the number of pending calls in a stream.
  static std::size_t waiting(Stream stream);

  int device_count() const override { return options_.devices; }
  std::string describe(int device) const override;
  void* allocate(int device, std::size_t bytes) override;
  void release(int device, void* memory, std::size_t bytes) noexcept override;
  void begin_block(int device, Stream stream, void* block, std::size_t bytes, std::size_t whole) override;
  void end_block(int device, Stream stream, void* block, std::size_t whole) override;
  void* allocate_pinned(int device, std::size_t bytes) override;
  void release_pinned(void* memory, std::size_t bytes) noexcept override;
  std::ptrdiff_t distance() const override { return distance_; }
  Stream make_stream(int device) override;
  void end_stream(Stream stream) noexcept override;
  Event make_event(int device, bool times = false) override;
  void end_event(Event event) noexcept override;
  void record(Event event, Stream stream) override;
  void wait(Stream stream, Event event) override;
  void synchronize(Event event) override;
  bool reached(Event event) override;
  double seconds_between(Event begin, Event end) override;
  void synchronize(Stream stream) override;
  void copy_to_device(Stream stream, void* to, const void* from, std::size_t bytes) override;
  void copy_to_host(Stream stream, void* to, const void* from, std::size_t bytes) override;
  void copy_between(Stream to_stream, void* to, Stream from_stream, const void* from, std::size_t bytes) override;
  void copy_within(Stream stream, void* to, const void* from, std::size_t bytes) override;
  std::uintptr_t handle(Stream stream) override;
  void wait_for_other(Stream stream, std::uintptr_t other) override;
  void let_other_wait(std::uintptr_t other, Stream stream) override;
  void launch(Stream stream, const Launch& launch, const void* args) override;
  /// The substitute for NCCL that CHAINER_NCCL_LIBRARY names, which adds in host memory.
  std::shared_ptr<const Nccl> groups() override;
  void* join_group(int device, const std::string& key, int rank, int size) override;
  void sum_over(Stream stream, void* group, void* data, int64_t count, Dtype dtype) override;
  void begin_capture(Stream stream) override;
  Graph end_capture(Stream stream) override;
  void drop_capture(Stream stream) noexcept override;
  void launch_graph(Stream stream, Graph graph) override;
  void end_graph(int device, Graph graph) noexcept override;
  std::string compiler(int device) override;
  std::string compile(int device, const std::string& source) override;
  void add_kernel(int device, const std::string& name, const std::string& image) override;
  std::string compile_text(int device, const KernelText& kernel) override;
  void add_text_kernel(int device, const std::string& name, const std::string& image,
                       const std::string& function) override;
  bool multiply(Stream stream, const ProductCall& call) override;
  /// Uses the library set by convolutions_by(), which computes in host memory; without one, kernels are used.
  std::optional<std::size_t> convolution_workspace(Stream stream, const LibraryConvolution& call) override;
  void convolve(Stream stream, const LibraryConvolution& call, void* workspace) override;
  /// By the host's kernels, unless CHAINER_CUFFT_LIBRARY is "none".
  std::optional<std::size_t> fourier_workspace(Stream stream, const FourierCall& call) override;
  void transform(Stream stream, const FourierCall& call, void* workspace) override;
  /// By the host's backend, unless CHAINER_CUSOLVER_LIBRARY is "none".
  std::optional<std::size_t> solver_workspace(Stream stream, const SolverCall& call) override;
  void solve(Stream stream, const SolverCall& call, void* workspace) override;
  /// By the library set by convolutions_by(), or by plain loops on the host, unless CHAINER_CUDNN_LIBRARY is "none".
  std::optional<std::size_t> recurrent_workspace(Stream stream, const RecurrentLayer& layer,
                                                 RecurrentSpaces* spaces) override;
  void recurrent_forward(Stream stream, const RecurrentCall& call) override;
  void recurrent_backward(Stream stream, const RecurrentCall& call) override;
  void convolutions_by(std::unique_ptr<Cudnn> library);

 private:
  bool fails();
  void expect_no_failure(const char* call);
  bool is_pinned(const void* p) const;
  // Returns the stream with a handle; null for a default stream of CUDA.
  Queue* queue_at(std::uintptr_t handle) const;
  void work_on(Stream stream, const RecurrentCall& call, std::function<void(const RecurrentCall&)> work);
  char* opened(const void* p) const { return static_cast<char*>(const_cast<void*>(p)) + distance_; }

  Options options_;
  char* closed_ = nullptr;  // the ranges of all devices, one after another
  std::ptrdiff_t distance_ = 0;
  std::vector<std::map<char*, std::size_t>> free_;  // free ranges of addresses, per device
  mutable std::mutex shared_mutex_;  // device state is guarded by the backend; these are shared by all devices
  std::map<const char*, std::size_t> pinned_;
  std::set<const Queue*> queues_;
  int64_t fail_at_ = 0;
  bool fail_captures_ = false;
  std::shared_ptr<Cudnn> convolutions_;  // also owned by pending work in streams
  std::shared_ptr<CudnnRnn> recurrent_;  // of that library
};

}  // namespace chainer::cuda::emulation
