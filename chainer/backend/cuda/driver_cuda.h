// SPDX-License-Identifier: MIT
// The driver of real devices: libcuda.
#pragma once
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "chainer/backend/cuda/cublas_lt.h"
#include "chainer/backend/cuda/cudnn.h"
#include "chainer/backend/cuda/cudnn_rnn.h"
#include "chainer/backend/cuda/cufft.h"
#include "chainer/backend/cuda/cusolver.h"
#include "chainer/backend/cuda/driver.h"
#include "chainer/backend/cuda/libcuda.h"
#include "chainer/backend/cuda/nccl.h"
#include "chainer/backend/cuda/nvrtc.h"

namespace chainer::cuda {

/// The kernels of this build as images for the driver; empty in builds without nvcc.
struct Kernels {
  std::span<const unsigned char*const> images, later;
  int version = 0;  ///< of the CUDA that compiled them: 13000
  std::span<const KernelHeader> headers = {};
};
/// Defined in kernels_nvcc_first.cpp, which the build generates, or in kernels_none.cpp.
Kernels kernels();
/// Returns the kernels that train_mnist does not use, so that it need not wait for their compilation. Defined in
/// kernels_nvcc_later.cpp, which the build generates, or in kernels_later_none.cpp.
std::span<const unsigned char* const> later_kernels();

/// The constructor throws DeviceError naming what is missing: kernels, a device, a sufficiently new driver. Calls wait
/// only where the interface says so; with CHAINER_CUDA_BLOCKING=1, also after each launch.
class CudaDriver final : public Driver {
 public:
  CudaDriver(const Libcuda& library, Kernels kernels);
  ~CudaDriver() override;

  int device_count() const override { return static_cast<int>(devices_.size()); }
  std::string describe(int device) const override;
  void* allocate(int device, std::size_t bytes) override;
  void release(int device, void* memory, std::size_t bytes) noexcept override;
  void* allocate_pinned(int device, std::size_t bytes) override;
  void release_pinned(void* memory, std::size_t bytes) noexcept override;
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
  /// NCCL, if available.
  std::shared_ptr<const Nccl> groups() override;
  void* join_group(int device, const std::string& key, int rank, int size) override;
  void sum_over(Stream stream, void* group, void* data, int64_t count, Dtype dtype) override;
  bool can_capture() const override { return !blocking_; }
  void begin_capture(Stream stream) override;
  Graph end_capture(Stream stream) override;
  void drop_capture(Stream stream) noexcept override;
  void launch_graph(Stream stream, Graph graph) override;
  void end_graph(int device, Graph graph) noexcept override;
  /// NVRTC, if available.
  std::string compiler(int device) override;
  std::string compile(int device, const std::string& source) override;
  void add_kernel(int device, const std::string& name, const std::string& image) override;
  std::string text_compiler(int device) override;
  std::string compile_text(int device, const KernelText& kernel) override;
  void add_text_kernel(int device, const std::string& name, const std::string& image,
                       const std::string& function) override;
  /// Uses cuBLASLt, if available.
  bool multiply(Stream stream, const ProductCall& call) override;
  /// Uses cuDNN, if available.
  std::optional<std::size_t> convolution_workspace(Stream stream, const LibraryConvolution& call) override;
  void convolve(Stream stream, const LibraryConvolution& call, void* workspace) override;
  /// Uses cuFFT, if available.
  std::optional<std::size_t> fourier_workspace(Stream stream, const FourierCall& call) override;
  void transform(Stream stream, const FourierCall& call, void* workspace) override;
  /// Uses cuSOLVER, if available.
  std::optional<std::size_t> solver_workspace(Stream stream, const SolverCall& call) override;
  void solve(Stream stream, const SolverCall& call, void* workspace) override;
  /// Uses cuDNN, if available.
  std::optional<std::size_t> recurrent_workspace(Stream stream, const RecurrentLayer& layer,
                                                 RecurrentSpaces* spaces) override;
  void recurrent_forward(Stream stream, const RecurrentCall& call) override;
  void recurrent_backward(Stream stream, const RecurrentCall& call) override;

 private:
  struct OneDevice {
    CuDevice number = 0;
    CuHandle context = nullptr, event = nullptr;  // the event orders two streams
    CuHandle begins = nullptr, ends = nullptr;    // events with times, for measurements
    std::vector<CuHandle> modules;
    std::unordered_map<std::string, CuHandle> functions;
    std::unique_ptr<CublasLt> products;
    void* workspace = nullptr;
    bool asked_for_products = false, asked_for_cudnn = false, asked_for_fourier = false, asked_for_solver = false;
    std::unique_ptr<Cudnn> cudnn;
    std::unique_ptr<CudnnRnn> recurrent;  // uses `cudnn`
    std::unique_ptr<Cufft> fourier;
    std::unique_ptr<Cusolver> solver;
    int64_t graphs = 0;     // captured graphs, which use plans of cuDNN and cuFFT
    bool captures = false;  // a graph is being captured
  };
  void expect_success(CuResult result, const char* call) const;
  class Use;
  CuHandle function_of(OneDevice& device, std::string_view kernel);
  // Records the event of a device, which is current, after the work of a stream so far.
  CuHandle record_in(OneDevice& device, CuHandle stream);
  /// Returns the device's cuDNN, opened at the first call, or null.
  Cudnn* cudnn_of(OneDevice& device);

  int capability(int device) const;

  Libcuda cu_;
  Kernels kernels_;
  std::vector<OneDevice> devices_;
  bool blocking_, products_are_missing_ = false, cudnn_is_missing_ = false, fourier_is_missing_ = false;
  // (Not std::call_once: a Python module that uses the thread-local variables of libstdc++ cannot be imported after
  // PyTorch.)
  std::mutex opening_;
  bool asked_for_compiler_ = false, asked_for_groups_ = false;
  std::shared_ptr<const Nccl> groups_;
  std::unique_ptr<Nvrtc> compiler_;
};

}  // namespace chainer::cuda
