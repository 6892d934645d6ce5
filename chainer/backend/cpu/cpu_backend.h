// SPDX-License-Identifier: MIT
// The CPU backend: own loops for everything, oneDNN and BLAS where they are faster.
#pragma once
#include <atomic>

#include "chainer/array/backend.h"
#include "chainer/array/operations/block_function.h"
#include "chainer/array/operations/convolution.h"
#include "chainer/array/operations/pooling.h"
#include "chainer/array/operations/recurrent_cells.h"
#include "chainer/backend/cpu/kernels/table.h"

namespace chainer::cpu {

class CpuBackend final : public Backend {
 public:
  std::string name(int) const override { return "@cpu"; }
  std::string description() const override;
  memory::Block allocate(std::size_t bytes, int) override { return memory::try_allocate(bytes); }
  void release(memory::Block block, int) override { memory::release(block); }
  void host_to_device(int device, void* to, const void* from, std::size_t bytes) override;
  void device_to_host(int device, void* to, const void* from, std::size_t bytes) override;
  void elementwise(Elementwise op, std::span<const Array* const> inputs, Array& out, Dtype compute) override;
  void apply(const BlockFunction& f, std::span<const Array* const> in, std::span<Array* const> out,
             Dtype compute) override;
  void fold(const BlockFunction& map, const BlockFold& fold, std::span<const Array* const> in, Array& out,
            Dtype compute) override;
  void run(const Program& program) override;
  void reduce(Reduce op, const Array& a, const Dims& axes, Array& out) override;
  void arg_reduce(ArgReduce op, const Array& a, int axis, Array& out) override;
  void scan(Scan op, const Array& a, int axis, Array& out) override;
  void gemm(const Array& a, const Array& b, Array& out, double alpha, double beta) override;
  void take_rows(const Array& a, const Array& index, Array& out) override;
  void scatter_rows(Array& out, const Array& index, const Array& values, bool accumulate) override;
  void rows_dot(const Array& x, const Array& w, const Array& index, Array& out) override;
  void rows_combine(const Array& g, const Array& w, const Array& index, Array& out) override;
  void rows_scatter(const Array& g, const Array& x, const Array& index, Array& out) override;
  void standardize(const Array& x, double eps, Array& y, Array& rstd) override;
  void standardize_grad(const Array& gy, const Array& y, const Array& rstd, Array& gx) override;
  void pooling(Pooling op, const PoolingPlan& plan, const Array& in, Array& out, Array* position) override;
  void moments(const Array& x, Array& mean, Array& squares) override;
  void moments_grad(const Array& gy, const Array& x, const Array& mean, Array& total, Array& along) override;
  void centered_combination(const Array& gy, const Array& x, const Array& mean, const Array& a, const Array& b,
                            const Array& c, Array& gx) override;
  void lstm(const LstmCells& cells, std::span<const Array> x, std::span<const Array> c_prev, Array& c,
            Array& h) override;
  void lstm_grad(const LstmCells& cells, std::span<const Array> x, std::span<const Array> c_prev, const Array& c,
                 const Array& gc, const Array& gh, std::span<Array> gx, std::span<Array> gc_prev) override;
  void gru(const Array& x, const Array& hx, const Array& h_prev, Array& h) override;
  void gru_grad(const Array& x, const Array& hx, const Array& h_prev, const Array& gh, Array& gx, Array& ghx,
                Array& gh_prev) override;
  void update(Update op, Array& param, const Array& grad, std::span<Array> states,
              std::span<const double> hyper) override;
  void random(RandomFill fill, uint64_t seed, uint64_t counter, double a, double b, Array& out) override;
  void softmax(bool log, const Array& a, int64_t outer, int64_t n, int64_t inner, Array& out) override;
  void convolution(const ConvolutionCall& call) override;
  int64_t invert(Array& matrices) override;
  void determinants(Array& matrices, Array& out) override;
  void svd(const Array& a, Array& u, Array& s, Array& vt) override;
};

/// The host's convolutions, set by the first call of convolve(); before that, convolutions are composed.
using HostConvolution = void(const ConvolutionCall& call);
inline constinit std::atomic<HostConvolution*> host_convolution{nullptr};

/// With at most this many results per image, convolve_columns() may read the images as lines, without patches.
inline constexpr int64_t kFewResults = 4;
/// Computes a convolution by products of patches and filters, for every dtype and any number of axes.
void convolve_columns(Backend& backend, const ConvolutionCall& call);

/// Returns the compute type of a dtype: float64 for itself, float32 for the other floating types, int64 for integers
/// and bool.
inline Compute compute_type(Dtype d) { return d == Dtype::float64 ? kF64 : is_floating(d) ? kF32 : kI64; }
/// As compute_type(), for kernels of floating types only. Throws DtypeError naming the operation for other dtypes.
Compute floating_compute_type(Dtype d, std::string_view operation);
inline int64_t compute_size(Compute c) { return c == kF32 ? 4 : c == kMask ? 1 : 8; }
/// Returns true if arrays of this dtype need no conversion for a compute type.
inline bool stored_as(Dtype d, Compute c) {
  return c == kF32 ? d == Dtype::float32 : c == kF64 ? d == Dtype::float64 : c == kI64 && d == Dtype::int64;
}
/// Kernels process blocks of this many elements; several blocks fit in the first-level cache.
inline constexpr int64_t kBlock = 1024;

}  // namespace chainer::cpu
