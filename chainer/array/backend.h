// SPDX-License-Identifier: MIT
// The interface between arrays and devices: all access to a device's memory and arithmetic, with one entry per family
// of operations. docs/architecture.md ("How a backend is written") explains it with an example.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "chainer/array/array.h"
#include "chainer/array/captured_work.h"
#include "chainer/array/device_group.h"
#include "chainer/array/operations/families.h"

namespace chainer {

struct Program;
struct BlockFunction;
struct BlockFold;
struct BatchFactors;
struct CtcPaths;
struct LstmCells;
struct PoolingPlan;
struct RecurrentLayer;
struct RecurrentSpaces;
struct ConvolutionCall;
struct IndexCheck;
class TimeMark;
struct UpdatePass;
struct TextLaunch;
enum class Pooling : uint8_t;

/// A kind of device: its memory and its arithmetic. All access to elements goes through this class, except on the host
/// (Device::is_host), where elements may also be accessed through pointers. Callers have checked shapes and dtypes, all
/// operands are on one device, and outputs are allocated. An operand may have any strides, including zero for broadcast
/// axes. An output may be one of the operands if both have the same layout.
class Backend {
 public:
  virtual ~Backend() = default;

  // Every backend defines the following eleven functions.

  /// Returns "@cpu", "@cuda:0", ...
  virtual std::string name(int index) const = 0;
  /// Allocates at least `bytes` bytes on device number `index`. Returns a block without data if there is no memory.
  [[nodiscard]] virtual memory::Block allocate(std::size_t bytes, int index) = 0;
  virtual void release(memory::Block block, int index) = 0;
  /// Copy bytes between the host's and a device's memory. device_to_host() waits for computations of the source.
  virtual void host_to_device(int device, void* to, const void* from, std::size_t bytes) = 0;
  virtual void device_to_host(int device, void* to, const void* from, std::size_t bytes) = 0;
  /// out = op(inputs...), elementwise. Inputs have the shape of `out` (with zero strides along broadcast axes) and any
  /// dtype. They are converted to `compute` (float32, float64, int64 or bool); the result is converted to out's dtype.
  virtual void elementwise(Elementwise op, std::span<const Array* const> inputs, Array& out, Dtype compute) = 0;
  /// Reduces `axes` of `a`. In `out` the reduced axes have length one or are absent. The order of additions does not
  /// depend on the number of threads.
  virtual void reduce(Reduce op, const Array& a, const Dims& axes, Array& out) = 0;
  /// Writes the index (int64) of the largest or smallest element along one axis. A NaN wins; of equal elements, the
  /// first.
  virtual void arg_reduce(ArgReduce op, const Array& a, int axis, Array& out) = 0;
  /// out = alpha * a b + beta * out, for matrices or stacks of matrices (3 axes; 4 on the host) of one dtype.
  virtual void gemm(const Array& a, const Array& b, Array& out, double alpha, double beta) = 0;
  /// out[i...] = a[index[i], ...] along axis 0. Indices are in range.
  virtual void take_rows(const Array& a, const Array& index, Array& out) = 0;
  /// out[index[i], ...] = values[i, ...], or += with `accumulate`, in order of i; `out` is contiguous.
  virtual void scatter_rows(Array& out, const Array& index, const Array& values, bool accumulate) = 0;

  // The default implementations compose the entries above (backend/common/composed), or go through the host where
  // noted. A backend overrides those that it can do faster.

  /// Copies bytes from the memory of device number `from_index` to that of `to_index`; returns false, as by default, if
  /// the host must copy them.
  virtual bool device_to_device(void* to, int to_index, const void* from, int from_index, std::size_t bytes);
  /// Waits until all work of device number `index` is done. By default every entry is finished when it returns.
  virtual void synchronize(int index);
  /// Returns lines "what: value" about this backend, for runtime_info().
  virtual std::string description() const;
  /// Sets every element of `out` to `value`.
  virtual void fill(Array& out, Scalar value);
  /// Returns an array of shape () with this value, which is only read: a backend may return the same one again.
  virtual Array constant(Scalar value, Dtype dtype, const Device& device);
  /// Runs several operations over one space block by block (array/deferred/pending.h). The memory of results is
  /// allocated.
  virtual void run(const Program& program);
  /// Applies a user's formula to operands of one shape, computed in float32, float64 or int64. Each result has that
  /// type after conversion, or is bool. By default through the host, for which the formula is compiled.
  virtual void apply(const BlockFunction& f, std::span<const Array* const> in, std::span<Array* const> out,
                     Dtype compute);
  /// Applies a formula and combines its results over the axes that follow those of `out`. By default through the host.
  virtual void fold(const BlockFunction& map, const BlockFold& fold, std::span<const Array* const> in, Array& out,
                    Dtype compute);
  /// Cumulative sum or product along one axis.
  virtual void scan(Scan op, const Array& a, int axis, Array& out);
  /// out[i, j] = x[i] . w[index[i, j]], for x (n, d), w (v, d) and index (n, k) of valid int64, in one floating dtype.
  virtual void rows_dot(const Array& x, const Array& w, const Array& index, Array& out);
  /// out[i] = sum over j of g[i, j] w[index[i, j]]
  virtual void rows_combine(const Array& g, const Array& w, const Array& index, Array& out);
  /// out[index[i, j]] += g[i, j] x[i], in the order of (i, j). `out` is contiguous.
  virtual void rows_scatter(const Array& g, const Array& x, const Array& index, Array& out);
  /// y = (x - mean) / sqrt(variance + eps) for each row of x (n, d); rstd (n, float64) receives 1 / sqrt(variance +
  /// eps). All are contiguous; x and y have the same dtype, float32 or float64.
  virtual void standardize(const Array& x, double eps, Array& y, Array& rstd);
  /// The gradient of standardize() with respect to x, from its results.
  virtual void standardize_grad(const Array& gy, const Array& y, const Array& rstd, Array& gx);
  /// Computes c and h of cells of the LSTM family (see operations/recurrent_cells.h) from gates x (one array per
  /// source) and cells c_prev (one array per source and child). All are contiguous and of one dtype, float32 or
  /// float64.
  virtual void lstm(const LstmCells& cells, std::span<const Array> x, std::span<const Array> c_prev, Array& c,
                    Array& h);
  /// The gradients of lstm() with respect to gates and cells, from those of c and h, which may be empty. Entries of
  /// gc_prev may be empty, or gc itself.
  virtual void lstm_grad(const LstmCells& cells, std::span<const Array> x, std::span<const Array> c_prev,
                         const Array& c, const Array& gc, const Array& gh, std::span<Array> gx,
                         std::span<Array> gc_prev);
  /// h = (1 - z) tanh(x_h + r hx_h) + z h_prev with r = sigmoid(x_r + hx_r) and z = sigmoid(x_z + hx_z). Rows of x and
  /// hx hold r, z and h, in this order. All are contiguous and of one dtype, as in lstm().
  virtual void gru(const Array& x, const Array& hx, const Array& h_prev, Array& h);
  /// The gradients of gru() with respect to x, hx and h_prev. gh_prev may be gh itself.
  virtual void gru_grad(const Array& x, const Array& hx, const Array& h_prev, const Array& gh, Array& gx, Array& ghx,
                        Array& gh_prev);
  /// One fused step of an optimizer: updates the parameter and the states from the gradient (see
  /// operations/update_ops.h). By default through the host.
  virtual void update(Update op, Array& param, const Array& grad, std::span<Array> states,
                      std::span<const double> hyper);
  /// Fills `out` with numbers of the counter-based generator, starting at `counter`. Generated on the host by default,
  /// so that all devices give the same numbers.
  virtual void random(RandomFill fill, uint64_t seed, uint64_t counter, double a, double b, Array& out);
  /// out = a b + bias for matrices and a row `bias`, all of one floating dtype.
  virtual void gemm_bias(const Array& a, const Array& b, const Array& bias, Array& out);
  /// Softmax or log-softmax over the middle axis of a contiguous array, seen as (outer, n, inner).
  virtual void softmax(bool log, const Array& a, int64_t outer, int64_t n, int64_t inner, Array& out);
  /// Computes one operation of a convolution (operations/convolution.h) with any number of spatial axes.
  virtual void convolution(const ConvolutionCall& call);
  /// One operation of pooling (operations/pooling.h). Images are (outer, size..., inner) and windows (outer, out...,
  /// inner), contiguous and of one dtype, float32 or float64. `position` (int32, shaped as the windows) is the position
  /// inside a window, in C order: max writes it if given, gather and scatter read it.
  virtual void pooling(Pooling op, const PoolingPlan& plan, const Array& in, Array& out, Array* position);
  /// For x (outer, keys, inner): the mean over outer and inner, and the sum of squared differences from the mean, both
  /// (keys) in float64. Here and in the functions for batch normalization below x is contiguous and float32 or float64,
  /// and on the host also of 16 bits.
  virtual void moments(const Array& x, Array& mean, Array& squares);
  /// The sums of gy and of gy (x - mean) over outer and inner, both (keys) in float64.
  virtual void moments_grad(const Array& gy, const Array& x, const Array& mean, Array& total, Array& along);
  /// Computes the factors of batch normalization (operations/batch_factors.h).
  virtual void batch_factors(BatchFactors& f);
  /// The gradients of gamma (x - average) rstd + beta with respect to x, gamma and beta, where average and rstd (keys)
  /// are those of batch_factors(). gx is like x and gy; ggamma and gbeta (keys) are like gamma, contiguous.
  virtual void batch_gradients(const Array& gy, const Array& x, const Array& average, const Array& rstd,
                               const Array& gamma, Array& gx, Array& ggamma, Array& gbeta);
  /// gx = a (gy - b) - c (x - mean), where a, b, c and mean (keys) are float64.
  virtual void centered_combination(const Array& gy, const Array& x, const Array& mean, const Array& a, const Array& b,
                                    const Array& c, Array& gx);
  /// Writes the stable order of the elements of each row (the last axis): `rows` is contiguous, `order` int64 of its
  /// shape. NaN is last. Returns false, as by default, if the host must do it.
  virtual bool argsort(const Array& /*rows*/, Array& /*order*/) { return false; }
  /// out[index[i], ...] = max(itself, values[i, ...]); NaN wins. `out` is contiguous, of the floating dtype of
  /// `values`. By default through the host.
  virtual void scatter_largest(Array& out, const Array& index, const Array& values);
  /// Inverts the matrices of a stack (count, n, n) of contiguous float64, in place. Returns the index of the first
  /// singular matrix, or -1. By default through the host, as are the next two functions.
  virtual int64_t invert(Array& matrices);
  /// Writes the determinants (count) of a stack of matrices, which are overwritten.
  virtual void determinants(Array& matrices, Array& out);
  /// a = u diag(s) vt for each matrix of a stack a (count, m, n), with u (count, m, k), s (count, k), vt (count, k, n)
  /// and k = min(m, n); all contiguous float64.
  virtual void svd(const Array& a, Array& u, Array& s, Array& vt);
  /// Checks integers that name rows or elements (operations/indices.h) and writes their positions to `out`, contiguous
  /// int64 of the same size. Throws IndexError for a value out of range, possibly only when the device is next waited
  /// for. By default through the host.
  virtual void check_indices(const IndexCheck& check, const Array& index, Array& out);

  // The following entries compute what the functions of these names in array/host_kernels compute on the host, which
  // describe the arguments. All arrays are contiguous. They return false, as by default, if the host must do it; then
  // results are undefined.

  virtual bool roi_argmax(const Array& /*pixels*/, int64_t /*h*/, int64_t /*w*/, const Array& /*rois*/,
                          int64_t /*out_h*/, int64_t /*out_w*/, double /*spatial_scale*/, Array& /*at*/) {
    return false;
  }
  virtual bool roi_align_argmax(const Array& /*pixels*/, const Array& /*around*/, const Array& /*weights*/,
                                const Array& /*starts*/, Array& /*at*/) {
    return false;
  }
  /// Writes alphas and totals (host_kernels/ctc.h).
  virtual bool ctc_forward(const CtcPaths& /*paths*/, const Array& /*x*/, Array& /*alphas*/, Array& /*totals*/) {
    return false;
  }
  /// Writes gx rather than adding to it. Called only after ctc_forward() has returned true.
  virtual void ctc_backward(const CtcPaths& /*paths*/, const Array& /*x*/, const Array& /*alphas*/,
                            const Array& /*totals*/, const Array& /*weights*/, Array& /*gx*/) {}
  /// Writes c rather than adding to it.
  virtual bool coo_multiply(const Array& /*data*/, const Array& /*row*/, const Array& /*col*/, const Array& /*x*/,
                            Array& /*c*/) {
    return false;
  }
  /// Writes out (float64) rather than adding to it; g and x are float32 or float64.
  virtual bool coo_sampled(const Array& /*g*/, const Array& /*row*/, const Array& /*col*/, const Array& /*x*/,
                           Array& /*out*/) {
    return false;
  }
  virtual bool cumprod_grad(const Array& /*x*/, const Array& /*y*/, const Array& /*gy*/, Array& /*gx*/,
                            int64_t /*outer*/, int64_t /*n*/, int64_t /*inner*/) {
    return false;
  }
  /// The transform of each row (the last axis, not empty) of re + i im, written to yr and yi; float32 or float64.
  virtual bool fourier(const Array& /*re*/, const Array& /*im*/, bool /*inverse*/, double /*scale*/, Array& /*yr*/,
                       Array& /*yi*/) {
    return false;
  }

  // A recurrent layer by a library (operations/recurrent_layer.h). The second and the third function are called only
  // after the first one, which returns false by default, has returned true. They throw MemoryError if there is no room
  // for their own arrays.

  /// Sets `spaces` to the sizes of the arrays that the following functions need on device number `index`.
  virtual bool recurrent_spaces(const RecurrentLayer& /*layer*/, int /*index*/, RecurrentSpaces& /*spaces*/) {
    return false;
  }
  /// Writes `out` from `in`: forward.
  virtual void recurrent_layer(const RecurrentLayer& /*layer*/, std::span<const Array> /*in*/,
                               std::span<Array> /*out*/) {}
  /// Writes `out` from `in`: the gradients.
  virtual void recurrent_layer_grad(const RecurrentLayer& /*layer*/, std::span<const Array> /*in*/,
                                    std::span<Array> /*out*/) {}

  // Statistics and limits of a backend's memory pool; the defaults are for backends without one.

  virtual memory::Statistics memory_statistics(int index);
  virtual void reset_memory_peak(int index);
  virtual void empty_cache(int index);
  /// Limits the bytes held by arrays and by the cache together; 0 means no limit.
  virtual void set_memory_limit(int64_t bytes, int index);

  /// Returns a mark after all work given to device number `index` so far. By default, since entries finish before they
  /// return, it is the current time.
  virtual std::shared_ptr<const TimeMark> mark(int index);
  /// Copies each array of `from` to the one of `to` at its place, which has its shape. The arrays of `to` do not
  /// overlap any other. By default one after another.
  virtual void copy_all(std::span<const Array> from, std::span<Array> to);
  /// Calls update() for several parameters. No array of one pass is an array of another. By default one after another.
  virtual void update_all(std::span<UpdatePass> passes);
  /// Launches a kernel that a user wrote as text (operations/kernel_text.h). By default throws DeviceError: only CUDA
  /// devices have a compiler for it.
  virtual void launch_text(const TextLaunch& launch);
  /// Calls `work`, whose calls for a device by this thread are stored rather than run, and returns them. Returns
  /// nullptr without calling `work` if the device cannot capture (the default), or not now. The work allocates memory
  /// only for itself, which stays its own while the result lives. Throws NotCaptured if it makes a call that cannot be
  /// captured: copies from and to the host, waits, checks of indices.
  virtual std::unique_ptr<CapturedWork> capture(int /*index*/, const std::function<void()>& /*work*/) {
    return nullptr;
  }
  /// Returns a key by which the processes of a group of devices find each other, of one process for all; empty if the
  /// device has no library for groups (the default).
  virtual std::string group_key(int /*index*/) { return {}; }
  /// Returns the group with this key, as process `rank` of `size`; null if the device has none. Waits for the others.
  virtual std::unique_ptr<DeviceGroup> join_group(int /*index*/, const std::string& /*key*/, int /*rank*/,
                                                  int /*size*/) {
    return nullptr;
  }
};

/// The arguments of a call of Backend::update().
struct UpdatePass {
  Update op;
  Array param, grad;
  std::vector<Array> states;
  std::vector<double> hyper;
};

/// Returns an array of shape () with this value, which is only read: on a device Backend::constant().
Array constant(Scalar value, Dtype dtype, const Device& device);
/// Copies elements between two arrays of one shape, of any layouts, dtypes and devices.
void copy_elements(const Array& from, Array& to);
/// Returns the array itself if it is contiguous and of this dtype, else such a copy.
Array dense(const Array& a, Dtype dtype);

}  // namespace chainer
