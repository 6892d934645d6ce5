// SPDX-License-Identifier: MIT
// The backend of CUDA devices, real and emulated; it consists of a driver and kernels.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chainer/array/backend.h"
#include "chainer/backend/cuda/compiled_programs.h"
#include "chainer/backend/cuda/driver.h"
#include "chainer/backend/cuda/memory.h"
#include "chainer/backend/cuda/text_kernels.h"

namespace chainer::cuda {

struct MomentsArgs;
struct MomentsMergeArgs;
struct RowsMomentsArgs;
struct ProgramArgs;
struct WrongIndex;

/// All work of a device runs in one stream, in the order of the calls by all threads. Entries return before their work
/// has run; device_to_host() and synchronize() wait. An error in such work makes the device unusable: each later call
/// throws DeviceError with the first error and the kernels launched last, and releasing memory does nothing. The same
/// applies to all calls in a child of fork().
class CudaBackend final : public Backend {
 public:
  /// Devices are named `prefix`:0, `prefix`:1 and so on.
  CudaBackend(std::unique_ptr<Driver> driver, std::string prefix);
  ~CudaBackend() override;
  int device_count() const;
  Driver& driver() { return *driver_; }
  Stream stream(int index);
  /// See backend/devices.h.
  std::uintptr_t stream_handle(int index);
  void wait_for_stream(int index, std::uintptr_t other);
  void let_stream_wait(int index, std::uintptr_t other);
  /// The work of a device so far: launches and library calls, copies to it, copies from it, and waits for all of its
  /// work. The last two make the device idle, so a training step should have none of them.
  struct Counts {
    int64_t calls = 0, sent = 0, fetched = 0, waits = 0;
  };
  Counts counts(int index);
  /// Returns the compiled kernels of programs that run often.
  CompiledPrograms& compiled_programs() { return compiled_programs_; }
  /// Returns the kernels that users wrote as text.
  TextKernels& text_kernels() { return text_kernels_; }

  std::string name(int index) const override;
  std::string description() const override;
  memory::Block allocate(std::size_t bytes, int index) override;
  void release(memory::Block block, int index) override;
  void host_to_device(int device, void* to, const void* from, std::size_t bytes) override;
  void device_to_host(int device, void* to, const void* from, std::size_t bytes) override;
  bool device_to_device(void* to, int to_index, const void* from, int from_index, std::size_t bytes) override;
  void synchronize(int index) override;
  void elementwise(Elementwise op, std::span<const Array* const> inputs, Array& out, Dtype compute) override;
  void run(const Program& program) override;
  void fill(Array& out, Scalar value) override;
  Array constant(Scalar value, Dtype dtype, const Device& device) override;
  void reduce(Reduce op, const Array& a, const Dims& axes, Array& out) override;
  void arg_reduce(ArgReduce op, const Array& a, int axis, Array& out) override;
  void scan(Scan op, const Array& a, int axis, Array& out) override;
  bool argsort(const Array& rows, Array& order) override;
  void scatter_largest(Array& out, const Array& index, const Array& values) override;
  bool roi_argmax(const Array& pixels, int64_t h, int64_t w, const Array& rois, int64_t out_h, int64_t out_w,
                  double spatial_scale, Array& at) override;
  bool roi_align_argmax(const Array& pixels, const Array& around, const Array& weights, const Array& starts,
                        Array& at) override;
  bool ctc_forward(const CtcPaths& paths, const Array& x, Array& alphas, Array& totals) override;
  void ctc_backward(const CtcPaths& paths, const Array& x, const Array& alphas, const Array& totals,
                    const Array& weights, Array& gx) override;
  bool coo_multiply(const Array& data, const Array& row, const Array& col, const Array& x, Array& c) override;
  bool coo_sampled(const Array& g, const Array& row, const Array& col, const Array& x, Array& out) override;
  bool cumprod_grad(const Array& x, const Array& y, const Array& gy, Array& gx, int64_t outer, int64_t n,
                    int64_t inner) override;
  bool fourier(const Array& re, const Array& im, bool inverse, double scale, Array& yr, Array& yi) override;
  bool recurrent_spaces(const RecurrentLayer& layer, int index, RecurrentSpaces& spaces) override;
  void recurrent_layer(const RecurrentLayer& layer, std::span<const Array> in, std::span<Array> out) override;
  void recurrent_layer_grad(const RecurrentLayer& layer, std::span<const Array> in, std::span<Array> out) override;
  void gemm(const Array& a, const Array& b, Array& out, double alpha, double beta) override;
  void gemm_bias(const Array& a, const Array& b, const Array& bias, Array& out) override;
  int64_t invert(Array& matrices) override;
  void determinants(Array& matrices, Array& out) override;
  void svd(const Array& a, Array& u, Array& s, Array& vt) override;
  void take_rows(const Array& a, const Array& index, Array& out) override;
  void scatter_rows(Array& out, const Array& index, const Array& values, bool accumulate) override;
  void update(Update op, Array& param, const Array& grad, std::span<Array> states,
              std::span<const double> hyper) override;
  void update_all(std::span<UpdatePass> passes) override;
  void copy_all(std::span<const Array> from, std::span<Array> to) override;
  void random(RandomFill fill, uint64_t seed, uint64_t counter, double a, double b, Array& out) override;
  void check_indices(const IndexCheck& check, const Array& index, Array& out) override;
  void softmax(bool log, const Array& a, int64_t outer, int64_t n, int64_t inner, Array& out) override;
  void lstm(const LstmCells& cells, std::span<const Array> x, std::span<const Array> c_prev, Array& c,
            Array& h) override;
  void lstm_grad(const LstmCells& cells, std::span<const Array> x, std::span<const Array> c_prev, const Array& c,
                 const Array& gc, const Array& gh, std::span<Array> gx, std::span<Array> gc_prev) override;
  void gru(const Array& x, const Array& hx, const Array& h_prev, Array& h) override;
  void gru_grad(const Array& x, const Array& hx, const Array& h_prev, const Array& gh, Array& gx, Array& ghx,
                Array& gh_prev) override;
  void moments(const Array& x, Array& mean, Array& squares) override;
  void moments_grad(const Array& gy, const Array& x, const Array& mean, Array& total, Array& along) override;
  void batch_factors(BatchFactors& f) override;
  void batch_gradients(const Array& gy, const Array& x, const Array& average, const Array& rstd, const Array& gamma,
                       Array& gx, Array& ggamma, Array& gbeta) override;
  void centered_combination(const Array& gy, const Array& x, const Array& mean, const Array& a, const Array& b,
                            const Array& c, Array& gx) override;
  void standardize(const Array& x, double eps, Array& y, Array& rstd) override;
  void standardize_grad(const Array& gy, const Array& y, const Array& rstd, Array& gx) override;
  void pooling(Pooling op, const PoolingPlan& plan, const Array& in, Array& out, Array* position) override;
  void convolution(const ConvolutionCall& call) override;
  memory::Statistics memory_statistics(int index) override;
  void reset_memory_peak(int index) override;
  void empty_cache(int index) override;
  void set_memory_limit(int64_t bytes, int index) override;
  std::shared_ptr<const TimeMark> mark(int index) override;
  void launch_text(const TextLaunch& launch) override;
  std::string group_key(int index) override;
  std::unique_ptr<DeviceGroup> join_group(int index, const std::string& key, int rank, int size) override;
  std::unique_ptr<CapturedWork> capture(int index, const std::function<void()>& work) override;

 private:
  struct DeviceState;
  class MarkOfDevice;
  struct Capturing;
  class GraphOfDevice;
  class GroupOfDevice;

  /// Launches a kernel. Addresses in the arguments are converted to those of the device.
  template <class Args>
  void launch(int index, std::string_view kernel, Dim3 grid, Dim3 block, Args args, std::size_t dynamic_shared = 0) {
    args.pointers([distance = driver_->distance()]<class P>(P& p) {
      if (p) p = reinterpret_cast<P>(reinterpret_cast<std::intptr_t>(p) + distance);
    });
    launch_kernel(index, {kernel, grid, block, dynamic_shared, sizeof(Args), &typeid(Args)}, &args);
  }
  // Launches a program; `shared` is the shared memory of a block that interprets it.
  void launch_program(int index, Dim3 grid, Dim3 block, const ProgramArgs& args, std::size_t shared);
  MomentsMergeArgs parts_of_keys(MomentsArgs args, const Array& x, Array& parts);
  void combine(const Array& gy, const Array& x, const double* mean, const double* a, const double* b, const double* c,
               Array& gx);
  void reduce_in_parts(Reduce op, const Array& a, const Dims& axes, Array& out);
  void standardize_rows(RowsMomentsArgs args, const Array& x, const Array& y);
  /// Return true if a library computed the result.
  bool multiply_by_library(const ProductCall& call, int index);
  bool convolve_by_library(const ConvolutionCall& call);
  Array room_for(const SolverCall& call, const Device& device);
  void solve(const SolverCall& call, Array& room);
  void check_solved(const Array& info, void (*fail)(int64_t, int64_t, const IndexCheck&));
  bool factor_by_library(Array& matrices, Array& exchanged, Array& info, Array* inverses);
  bool invert_by_library(Array& matrices);
  bool determinants_by_library(Array& matrices, Array& out);
  bool svd_by_library(const Array& a, Array& u, Array& s, Array& vt);
  void multiply_by_kernel(const ProductCall& call, int index);
  void scan_rows(Scan op, const Array& a, Array out, const Array& before);
  void running_products(const Array& a, int axis, Array& out);
  void combine_rows(Array& out, const Array& index, const Array& values, const std::string& name);
  std::optional<std::size_t> convolution_workspace(int index, const LibraryConvolution& call);
  void convolve(int index, const LibraryConvolution& call, void* workspace);
  /// Returns the rows of packed sequences in the order in which each sequence is read from its end.
  Array reversed_rows(const RecurrentLayer& layer, const Device& device);
  void launch_kernel(int index, Launch launch, const void* args);
  /// Waits for the device. Throws IndexError for the first index out of range found by kernels since the last call.
  void report_wrong_indices(DeviceState& d);
  void forget_wrong_indices(DeviceState& d);
  /// Returns where a kernel writes what its check finds, which the next wait reports by check.fail().
  WrongIndex* next_check(DeviceState& d, const IndexCheck& check);
  /// Returns a block: during a capture one that was freed in it, if there is one of about this size.
  memory::Block allocate_in(DeviceState& d, std::size_t bytes);
  void release_all(DeviceState& d, const std::vector<memory::Block>& blocks) noexcept;
  template <class F>
  auto with_device(int index, F&& f);
  void expect_number(int index) const;

  std::unique_ptr<Driver> driver_;
  CompiledPrograms compiled_programs_{*driver_};
  TextKernels text_kernels_{*driver_};
  std::string prefix_;
  std::vector<std::unique_ptr<DeviceState>> devices_;
};

}  // namespace chainer::cuda
