// The interface between arrays and the devices that compute: one entry per family of operations.
#pragma once
#include <span>

#include "chainer/array/array.h"
#include "chainer/backend/common/convolution.h"
#include "chainer/backend/common/ops.h"
#include "chainer/backend/common/recurrent_cells.h"

namespace chainer {

struct Program;
struct BlockFunction;
struct BlockFold;

/// A device's arithmetic. Shapes and dtypes were settled and checked by the caller; outputs exist already. An operand
/// may have any strides, also zero for broadcast axes.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name(int index) const = 0;

  /// out = op(inputs...), elementwise; inputs have the shape of `out` (views with zero strides where broadcast) and
  /// any dtype: they are converted to `compute` (float32, float64, int64 or bool) first, the result to out's dtype.
  virtual void elementwise(Elementwise op, std::span<const Array* const> inputs, Array& out, Dtype compute) = 0;
  /// A user's formula on operands of one shape, computed in float32, float64 or int64; each result has that type
  /// after conversion or is bool.
  virtual void apply(const BlockFunction& f, std::span<const Array* const> in, std::span<Array* const> out,
                     Dtype compute) = 0;
  /// The formula, then its results combined over the axes behind those of `out`.
  virtual void fold(const BlockFunction& map, const BlockFold& fold, std::span<const Array* const> in, Array& out,
                    Dtype compute) = 0;
  /// Runs operations over one space block by block (backend/common/pending.h); memory for the results is there.
  virtual void run(const Program& program) = 0;
  /// Reduces `axes` of `a`; `out` has their lengths as one or lacks them. Sums are blocked the same way for any
  /// number of threads.
  virtual void reduce(Reduce op, const Array& a, const Dims& axes, Array& out) = 0;
  /// Index (int64) of the largest or smallest element along one axis; NaN wins, the first of equals counts.
  virtual void arg_reduce(ArgReduce op, const Array& a, int axis, Array& out) = 0;
  /// Running sum or product along one axis.
  virtual void scan(Scan op, const Array& a, int axis, Array& out) = 0;
  /// out = alpha * a b + beta * out for matrices or stacks of matrices (3 axes) of one dtype.
  virtual void gemm(const Array& a, const Array& b, Array& out, double alpha, double beta) = 0;
  /// out[i...] = a[index[i], ...] along axis 0; indices were checked.
  virtual void take_rows(const Array& a, const Array& index, Array& out) = 0;
  /// out[index[i], ...] = values[i, ...], or += with `accumulate`, in order of i; `out` is contiguous.
  virtual void scatter_rows(Array& out, const Array& index, const Array& values, bool accumulate) = 0;
  /// out[i, j] = x[i] . w[index[i, j]] for x (n, d), w (v, d), index (n, k) of checked int64, one floating dtype.
  virtual void rows_dot(const Array& x, const Array& w, const Array& index, Array& out) = 0;
  /// out[i] = sum over j of g[i, j] w[index[i, j]]
  virtual void rows_combine(const Array& g, const Array& w, const Array& index, Array& out) = 0;
  /// out[index[i, j]] += g[i, j] x[i], in the order of (i, j); `out` is contiguous.
  virtual void rows_scatter(const Array& g, const Array& x, const Array& index, Array& out) = 0;
  /// y = (x - mean) / sqrt(variance + eps) for each row of x (n, d); rstd (n, float64) gets the factors. All are
  /// contiguous, x and y of one dtype that kernels compute in.
  virtual void standardize(const Array& x, double eps, Array& y, Array& rstd) = 0;
  /// The gradient of that by x, from its results.
  virtual void standardize_grad(const Array& gy, const Array& y, const Array& rstd, Array& gx) = 0;
  /// c and h of cells of the LSTM family (see recurrent_cells.h) from gates, an array for each source, and cells, an
  /// array for each source and child. All are contiguous, of one dtype that kernels compute in.
  virtual void lstm(const LstmCells& cells, std::span<const Array> x, std::span<const Array> c_prev, Array& c,
                    Array& h) = 0;
  /// The gradients of that by gates and cells, from those of c and h, which may be none. Entries of gc_prev may be
  /// none, or gc itself.
  virtual void lstm_grad(const LstmCells& cells, std::span<const Array> x, std::span<const Array> c_prev,
                         const Array& c, const Array& gc, const Array& gh, std::span<Array> gx,
                         std::span<Array> gc_prev) = 0;
  /// h = (1 - z) tanh(x_h + r hx_h) + z h_prev with r = sigmoid(x_r + hx_r), z = sigmoid(x_z + hx_z), for rows of x and
  /// hx that hold r, z and h one behind the other. All are contiguous as in lstm.
  virtual void gru(const Array& x, const Array& hx, const Array& h_prev, Array& h) = 0;
  /// The gradients of that by x, hx and h_prev; gh_prev may be gh itself.
  virtual void gru_grad(const Array& x, const Array& hx, const Array& h_prev, const Array& gh, Array& gx, Array& ghx,
                        Array& gh_prev) = 0;
  /// One fused pass of an optimizer: parameter and states updated from the gradient (see update_ops.h).
  virtual void update(Update op, Array& param, const Array& grad, std::span<Array> states,
                      std::span<const double> hyper) = 0;
  /// Fills `out` with draws of the counter-based generator, starting at `counter`.
  virtual void random(RandomFill fill, uint64_t seed, uint64_t counter, double a, double b, Array& out) = 0;
  /// Softmax, or its logarithm, over the middle axis of a contiguous array seen as (outer, n, inner).
  virtual void softmax(bool log, const Array& a, int64_t outer, int64_t n, int64_t inner, Array& out) = 0;
  /// One of the three operations of a convolution (backend/common/convolution.h), of one floating dtype: `a` and `b`
  /// are (x, W), (y, W) or (x, y); `bias`, if there is one, is added to a forward or backward_data result; `accumulate`
  /// adds to `out`. By default with matrices of patches, which takes any number of axes.
  virtual void convolution(Convolution op, const ConvolutionPlan& plan, const Array& a, const Array& b,
                           const Array& bias, Array& out, bool accumulate);
};

/// Converts between any two layouts and dtypes of one shape.
void copy_elements(const Array& from, Array& to);
/// The array itself where it is contiguous and of this dtype, else a copy that is.
Array dense(const Array& a, Dtype dtype);

}  // namespace chainer
