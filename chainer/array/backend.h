// The interface between arrays and the devices that compute: the only door to a device's memory and arithmetic, one
// entry per family of operations. docs/architecture.md ("How a backend is written") goes through it with an example.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "chainer/array/array.h"
#include "chainer/array/operations/ops.h"

namespace chainer {

struct Program;
struct BlockFunction;
struct BlockFold;
struct LstmCells;
struct PoolingPlan;
struct ConvolutionPlan;
struct IndexCheck;
class TimeMark;
struct UpdatePass;
enum class Pooling : uint8_t;
enum class Convolution : uint8_t;

/// A kind of device: its memory and its arithmetic. Nobody else touches elements, except on the host (Device::is_host),
/// where elements are read and written through pointers, too. Shapes and dtypes were settled and checked by the caller,
/// all operands are on one device, outputs exist already. An operand may have any strides, also zero for broadcast
/// axes; an output may be one of the operands where both have the same layout.
class Backend {
 public:
  virtual ~Backend() = default;

  // Every backend defines these eleven.

  /// "@cpu", "@cuda:0"
  virtual std::string name(int index) const = 0;
  /// Memory of device number `index`, at least of `bytes`; a block without data where there is no room.
  [[nodiscard]] virtual memory::Block allocate(std::size_t bytes, int index) = 0;
  virtual void release(memory::Block block, int index) = 0;
  /// Copies bytes from the host's memory to the device's, and back. The second waits for what computes them.
  virtual void host_to_device(void* to, const void* from, std::size_t bytes) = 0;
  virtual void device_to_host(void* to, const void* from, std::size_t bytes) = 0;
  /// out = op(inputs...), elementwise; inputs have the shape of `out` (views with zero strides where broadcast) and
  /// any dtype: they are converted to `compute` (float32, float64, int64 or bool) first, the result to out's dtype.
  virtual void elementwise(Elementwise op, std::span<const Array* const> inputs, Array& out, Dtype compute) = 0;
  /// Reduces `axes` of `a`; `out` has their lengths as one or lacks them. Sums are blocked the same way for any
  /// number of threads.
  virtual void reduce(Reduce op, const Array& a, const Dims& axes, Array& out) = 0;
  /// Index (int64) of the largest or smallest element along one axis; NaN wins, the first of equals counts.
  virtual void arg_reduce(ArgReduce op, const Array& a, int axis, Array& out) = 0;
  /// out = alpha * a b + beta * out for matrices or stacks of matrices (3 axes) of one dtype.
  virtual void gemm(const Array& a, const Array& b, Array& out, double alpha, double beta) = 0;
  /// out[i...] = a[index[i], ...] along axis 0; indices were checked.
  virtual void take_rows(const Array& a, const Array& index, Array& out) = 0;
  /// out[index[i], ...] = values[i, ...], or += with `accumulate`, in order of i; `out` is contiguous.
  virtual void scatter_rows(Array& out, const Array& index, const Array& values, bool accumulate) = 0;

  // By default these are composed of the entries above (backend/common/composed), or go through the host where they are
  // said to; a backend defines those that it does faster.

  /// Waits until everything asked of device number `index` is done; by default entries have finished when they return.
  virtual void synchronize(int index);
  /// Lines "what: value" about this backend, for runtime_info().
  virtual std::string description() const;
  /// Every element of `out` becomes `value`.
  virtual void fill(Array& out, Scalar value);
  /// Runs operations over one space block by block (array/deferred/pending.h); memory for the results is there.
  virtual void run(const Program& program);
  /// A user's formula on operands of one shape, computed in float32, float64 or int64; each result has that type
  /// after conversion or is bool. Through the host by default, for which the formula was compiled.
  virtual void apply(const BlockFunction& f, std::span<const Array* const> in, std::span<Array* const> out,
                     Dtype compute);
  /// The formula, then its results combined over the axes behind those of `out`. Through the host by default.
  virtual void fold(const BlockFunction& map, const BlockFold& fold, std::span<const Array* const> in, Array& out,
                    Dtype compute);
  /// Running sum or product along one axis.
  virtual void scan(Scan op, const Array& a, int axis, Array& out);
  /// out[i, j] = x[i] . w[index[i, j]] for x (n, d), w (v, d), index (n, k) of checked int64, one floating dtype.
  virtual void rows_dot(const Array& x, const Array& w, const Array& index, Array& out);
  /// out[i] = sum over j of g[i, j] w[index[i, j]]
  virtual void rows_combine(const Array& g, const Array& w, const Array& index, Array& out);
  /// out[index[i, j]] += g[i, j] x[i], in the order of (i, j); `out` is contiguous.
  virtual void rows_scatter(const Array& g, const Array& x, const Array& index, Array& out);
  /// y = (x - mean) / sqrt(variance + eps) for each row of x (n, d); rstd (n, float64) gets the factors. All are
  /// contiguous, x and y of one dtype that kernels compute in.
  virtual void standardize(const Array& x, double eps, Array& y, Array& rstd);
  /// The gradient of that by x, from its results.
  virtual void standardize_grad(const Array& gy, const Array& y, const Array& rstd, Array& gx);
  /// c and h of cells of the LSTM family (see operations/recurrent_cells.h) from gates, an array for each source, and
  /// cells, an array for each source and child. All are contiguous, of one dtype that kernels compute in.
  virtual void lstm(const LstmCells& cells, std::span<const Array> x, std::span<const Array> c_prev, Array& c,
                    Array& h);
  /// The gradients of that by gates and cells, from those of c and h, which may be none. Entries of gc_prev may be
  /// none, or gc itself.
  virtual void lstm_grad(const LstmCells& cells, std::span<const Array> x, std::span<const Array> c_prev,
                         const Array& c, const Array& gc, const Array& gh, std::span<Array> gx,
                         std::span<Array> gc_prev);
  /// h = (1 - z) tanh(x_h + r hx_h) + z h_prev with r = sigmoid(x_r + hx_r), z = sigmoid(x_z + hx_z), for rows of x and
  /// hx that hold r, z and h one behind the other. All are contiguous as in lstm.
  virtual void gru(const Array& x, const Array& hx, const Array& h_prev, Array& h);
  /// The gradients of that by x, hx and h_prev; gh_prev may be gh itself.
  virtual void gru_grad(const Array& x, const Array& hx, const Array& h_prev, const Array& gh, Array& gx, Array& ghx,
                        Array& gh_prev);
  /// One fused pass of an optimizer: parameter and states updated from the gradient (see operations/update_ops.h).
  /// Through the host by default.
  virtual void update(Update op, Array& param, const Array& grad, std::span<Array> states,
                      std::span<const double> hyper);
  /// Fills `out` with draws of the counter-based generator, starting at `counter`. Drawn on the host by default: the
  /// numbers are the same on every device.
  virtual void random(RandomFill fill, uint64_t seed, uint64_t counter, double a, double b, Array& out);
  /// Softmax, or its logarithm, over the middle axis of a contiguous array seen as (outer, n, inner).
  virtual void softmax(bool log, const Array& a, int64_t outer, int64_t n, int64_t inner, Array& out);
  /// One of the three operations of a convolution (operations/convolution.h), of one floating dtype: `a` and `b` are
  /// (x, W), (y, W) or (x, y); `bias`, if there is one, is added to a forward or backward_data result; `accumulate`
  /// adds to `out`. Any number of spatial axes.
  virtual void convolution(Convolution op, const ConvolutionPlan& plan, const Array& a, const Array& b,
                           const Array& bias, Array& out, bool accumulate);
  /// One operation of pooling (operations/pooling.h). Images are (outer, size..., inner), windows (outer, out...,
  /// inner), contiguous and of one dtype that kernels compute in. `position` (int32, as windows) is where in a window,
  /// in C order: max fills it where it is given, gather and scatter read it.
  virtual void pooling(Pooling op, const PoolingPlan& plan, const Array& in, Array& out, Array* position);
  /// Of x (outer, keys, inner): the mean over outer and inner and the sum of squared distances from it, both (keys) in
  /// float64. x is contiguous and of a dtype that kernels compute in, here and in the next two.
  virtual void moments(const Array& x, Array& mean, Array& squares);
  /// The sums of gy and of gy (x - mean) over outer and inner, both (keys) in float64.
  virtual void moments_grad(const Array& gy, const Array& x, const Array& mean, Array& total, Array& along);
  /// gx = a (gy - b) - c (x - mean), where a, b, c and mean (keys) are float64.
  virtual void centered_combination(const Array& gy, const Array& x, const Array& mean, const Array& a, const Array& b,
                                    const Array& c, Array& gx);
  /// The inverses of the matrices of a stack (count, n, n), in place; contiguous float64. Returns the number of the
  /// first singular one, or -1. Through the host by default, as the next two.
  virtual int64_t invert(Array& matrices);
  /// The determinants (count) of those matrices, which are overwritten.
  virtual void determinants(Array& matrices, Array& out);
  /// a = u diag(s) vt for a matrix a (m, n): u (m, k), s (k), vt (k, n) with k = min(m, n), all contiguous float64.
  virtual void svd(const Array& a, Array& u, Array& s, Array& vt);
  /// The rows or places of elements that integers name (operations/indices.h), in `out`, contiguous int64 of their
  /// number. One out of range is an IndexError, which may come at the next wait for the device. Through the host by
  /// default.
  virtual void check_indices(const IndexCheck& check, const Array& index, Array& out);

  // What a backend's own memory holds; without one there is nothing to tell.

  virtual memory::Statistics memory_statistics(int index);
  virtual void reset_memory_peak(int index);
  virtual void empty_cache(int index);
  /// The most bytes that arrays and what waits for reuse may have together; 0 is no limit.
  virtual void set_memory_limit(int64_t bytes, int index);

  /// The place behind everything that was asked of device number `index` so far; by default, where entries have
  /// finished when they return, the time.
  virtual std::shared_ptr<const TimeMark> mark(int index);
  /// update() for several parameters, none of which is another one's parameter, gradient or state: one after the other
  /// by default.
  virtual void update_all(std::span<UpdatePass> passes);
};

/// One call of Backend::update().
struct UpdatePass {
  Update op;
  Array param, grad;
  std::vector<Array> states;
  std::vector<double> hyper;
};

/// Converts between any two layouts and dtypes of one shape, and between devices.
void copy_elements(const Array& from, Array& to);
/// The array itself where it is contiguous and of this dtype, else a copy that is.
Array dense(const Array& a, Dtype dtype);

}  // namespace chainer
