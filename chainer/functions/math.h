// SPDX-License-Identifier: MIT
// F: mathematical functions and arithmetic (manual: "Mathematical functions", "Arithmetic functions").
// Errors: unless its comment says otherwise, a function throws InvalidType if an input is not of a floating dtype or if
// the inputs' dtypes differ. `axis` names the axes to reduce, all by default; IndexError for an axis out of range. See
// functions.h for what all functions share.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "chainer/autograd/variable.h"
#include "chainer/functions/math_elementwise.h"
#include "chainer/core/other_options.h"
#include "chainer/routines/operators.h"  // an array's operators: without them an array would become a Variable

namespace chainer {
namespace functions {

/// Computes the sum of all arguments, elementwise with broadcasting, for any one dtype. Throws ValueError if there are
/// no arguments, InvalidType if dtypes differ or two shapes do not broadcast, DimensionError if more than two do not.
///   F::add({array({1.f}), array({2.f}), array({3.f})})  // [6]
inline constexpr struct Add {
  static constexpr std::string_view name = "add";
  Variable operator()(const Variables& xs) const;
  Variable operator()(const Variable& a, const Variable& b) const;
} add{};

/// Options of average().
struct AverageOptions {
  Variable weights = {};  ///< one for each element, or for each position of a single axis; equal by default
  bool keepdims = false;
};
/// Computes the mean over axes, or sum(x w) / sum(w) with weights w in the shape of x or of its one reduced axis. The
/// result has the shape of x without these axes, or with length one for each with keepdims. Throws DimensionError for
/// weights of another shape.
///   F::average(array({1.f, 2.f, 3.f}))  // 2
inline constexpr struct Average {
  static constexpr std::string_view name = "average";
  Variable operator()(const Variable& x, const Axes& axis = {}, const AverageOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(average, ".weights, .keepdims", const Variable&, const Axes&);
} average{};
/// Another name of average(): the same shapes and exceptions.
///   F::mean(array({1.f, 2.f, 3.f}))  // 2
inline constexpr struct Mean {
  static constexpr std::string_view name = "mean";
  Variable operator()(const Variable& x, const Axes& axis = {}, const AverageOptions& options = {}) const {
    return average(x, axis, options);
  }
  CHAINER_OTHER_OPTIONS_CALL(mean, ".weights, .keepdims", const Variable&, const Axes&);
} mean{};

/// Computes x + y, with the shape of y aligned to the axes of x from `axis` on and lengths of one in y repeated. The
/// result has the shape of x. x and y have one dtype (InvalidType). Throws DimensionError if y does not match,
/// IndexError unless `axis` is within 0 ... ndim.
///   F::bias(array({{1.f, 2.f}}), array({10.f, 20.f}))  // [[11, 22]]
inline constexpr struct Bias {
  static constexpr std::string_view name = "bias";
  Variable operator()(const Variable& x, const Variable& y, int64_t axis = 1) const;
} bias{};
/// Computes x * y, with y aligned to x as for bias(): the same shapes and exceptions.
///   F::scale(array({{1.f, 2.f}}), array({10.f, 20.f}))  // [[10, 40]]
inline constexpr struct Scale {
  static constexpr std::string_view name = "scale";
  Variable operator()(const Variable& x, const Variable& y, int64_t axis = 1) const;
} scale{};

/// Returns its arguments, of any shape and dtype, as results of one function in the graph. Throws nothing of its own.
///   F::identity(array({1.f}))
inline constexpr struct Identity {
  static constexpr std::string_view name = "identity";
  Variable operator()(const Variable& x) const;
  Variables operator()(const Variables& xs) const;
} identity{};

/// Options of matmul().
struct MatmulOptions {
  bool transa = false, transb = false;  ///< transpose the last two axes of a or b before the product
};
/// Computes the matrix product by NumPy's rules: (..., m, k) times (..., k, n) gives (..., m, n), leading axes
/// broadcast, operands (k) are vectors. If floating dtypes differ, the result has the widest. Throws InvalidType if an
/// operand has no axis or the lengths k differ, DimensionError if leading axes do not broadcast.
///   F::matmul(array({{1.f, 0.f}, {0.f, 1.f}}), array({{4.f, 1.f}, {2.f, 2.f}}))
inline constexpr struct Matmul {
  static constexpr std::string_view name = "matmul";
  Variable operator()(const Variable& a, const Variable& b, const MatmulOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(matmul, ".transa, .transb", const Variable&, const Variable&);
} matmul{};

/// Options of sum(), max(), min(), prod().
struct ReduceOptions {
  bool keepdims = false;
};
/// Computes the maximum over axes. The result has the shape of x without these axes, or with length one for each with
/// keepdims. Every element that equals the maximum gets its gradient. Throws ValueError if there is no element to
/// reduce.
///   F::max(array({{1.f, 3.f}, {2.f, 0.f}}), 1)  // [3, 2]
inline constexpr struct Max {
  static constexpr std::string_view name = "max";
  Variable operator()(const Variable& x, const Axes& axis = {}, const ReduceOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(max, ".keepdims", const Variable&, const Axes&);
} max{};
/// Computes the minimum over axes: shapes, gradients and exceptions as for max().
///   F::min(array({{1.f, 3.f}, {2.f, 0.f}}), 1)  // [1, 0]
inline constexpr struct Min {
  static constexpr std::string_view name = "min";
  Variable operator()(const Variable& x, const Axes& axis = {}, const ReduceOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(min, ".keepdims", const Variable&, const Axes&);
} min{};

/// Computes the larger of two elements, elementwise with broadcasting; of equal ones x1 gets the gradient. Throws
/// InvalidType if the shapes do not broadcast.
///   F::maximum(array({1.f, 3.f}), array({2.f, 2.f}))  // [2, 3]
inline constexpr struct Maximum {
  static constexpr std::string_view name = "maximum";
  Variable operator()(const Variable& x1, const Variable& x2) const;
} maximum{};
/// Computes the smaller of two elements, elementwise with broadcasting; of equal ones x1 gets the gradient. Throws
/// InvalidType if the shapes do not broadcast.
///   F::minimum(array({1.f, 3.f}), array({2.f, 2.f}))  // [1, 2]
inline constexpr struct Minimum {
  static constexpr std::string_view name = "minimum";
  Variable operator()(const Variable& x1, const Variable& x2) const;
} minimum{};

/// Computes the sum over axes. The result has the shape of x without these axes, or with length one for each with
/// keepdims.
///   F::sum(array({{1.f, 2.f}, {3.f, 4.f}}), 0)  // [4, 6]
inline constexpr struct Sum {
  static constexpr std::string_view name = "sum";
  Variable operator()(const Variable& x, const Axes& axis = {}, const ReduceOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(sum, ".keepdims", const Variable&, const Axes&);
} sum{};

/// Computes the position of the largest element as int32: in the flattened array, shape (), or along an axis, the
/// shape of x without this axis. x has any dtype; there is no gradient. Throws ValueError if there is no element,
/// IndexError if there is no such axis.
///   F::argmax(array({1.f, 3.f}))  // 1
inline constexpr struct Argmax {
  static constexpr std::string_view name = "argmax";
  Variable operator()(const Variable& x, std::optional<int64_t> axis = {}) const;
} argmax{};

/// Computes the position of the smallest element: shapes, dtypes and exceptions as for argmax().
///   F::argmin(array({1.f, 3.f}))  // 0
inline constexpr struct Argmin {
  static constexpr std::string_view name = "argmin";
  Variable operator()(const Variable& x, std::optional<int64_t> axis = {}) const;
} argmin{};

/// Computes the angle of the point (x2, x1) in (-pi, pi], elementwise with broadcasting. If floating dtypes differ, the
/// result has the widest. Throws InvalidType if the shapes do not broadcast.
///   F::arctan2(array({0.f}), array({1.f}))  // [0]
inline constexpr struct Arctan2 {
  static constexpr std::string_view name = "arctan2";
  Variable operator()(const Variable& x1, const Variable& x2) const;
} arctan2{};

/// Computes the squared Euclidean norm of each item of a batch: (N, ...) to (N). Throws InvalidType if x has fewer
/// than two axes.
///   F::batch_l2_norm_squared(array({{3.f, 4.f}}))  // [25]
inline constexpr struct BatchL2NormSquared {
  static constexpr std::string_view name = "batch_l2_norm_squared";
  Variable operator()(const Variable& x) const;
} batch_l2_norm_squared{};

/// Computes products of stacks of matrices: (N, m, k) times (N, k, n) gives (N, m, n); (N, m) is a stack of columns
/// (N, m, 1). Deprecated in favor of matmul(). Throws DimensionError unless both have two or three axes.
///   F::batch_matmul(ones({2, 3, 4}), ones({2, 4, 5}))
inline constexpr struct BatchMatmul {
  static constexpr std::string_view name = "batch_matmul";
  Variable operator()(const Variable& a, const Variable& b, const MatmulOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(batch_matmul, ".transa, .transb", const Variable&, const Variable&);
} batch_matmul{};

/// Computes cumulative products along an axis, in the shape of x, or of the flattened array, as a vector. Throws
/// IndexError if there is no such axis.
///   F::cumprod(array({2.f, 3.f, 4.f}))  // [2, 6, 24]
inline constexpr struct Cumprod {
  static constexpr std::string_view name = "cumprod";
  Variable operator()(const Variable& x, std::optional<int64_t> axis = {}) const;
} cumprod{};

/// Computes cumulative sums along an axis, in the shape of x, or of the flattened array, as a vector. Throws IndexError
/// if there is no such axis.
///   F::cumsum(array({1.f, 2.f, 3.f}))  // [1, 3, 6]
inline constexpr struct Cumsum {
  static constexpr std::string_view name = "cumsum";
  Variable operator()(const Variable& x, std::optional<int64_t> axis = {}) const;
} cumsum{};

/// Computes the remainder of x / divisor with the sign of x, as C's fmod, elementwise with broadcasting. Throws
/// InvalidType if the shapes do not broadcast.
///   F::fmod(array({-3.f}), array({2.f}))  // [-1]
inline constexpr struct Fmod {
  static constexpr std::string_view name = "fmod";
  Variable operator()(const Variable& x, const Variable& divisor) const;
} fmod{};

/// Computes p x + (1 - p) y, elementwise for inputs of one shape. Throws InvalidType if the shapes differ.
///   F::linear_interpolate(array({0.5f}), array({1.f}), array({3.f}))  // [2]
inline constexpr struct LinearInterpolate {
  static constexpr std::string_view name = "linear_interpolate";
  Variable operator()(const Variable& p, const Variable& x, const Variable& y) const;
} linear_interpolate{};

/// Computes log(sum(exp(x))) over axes, without overflow; the result has the shape of x without these axes. Throws
/// ValueError if there is no element to reduce.
///   F::logsumexp(array({0.f, 0.f}))  // 0.693
inline constexpr struct Logsumexp {
  static constexpr std::string_view name = "logsumexp";
  Variable operator()(const Variable& x, const Axes& axis = {}) const;
} logsumexp{};

/// Computes the product over axes. The result has the shape of x without these axes, or with length one for each with
/// keepdims. The gradient is correct also for elements that are zero.
///   F::prod(array({2.f, 3.f}))  // 6
inline constexpr struct Prod {
  static constexpr std::string_view name = "prod";
  Variable operator()(const Variable& x, const Axes& axis = {}, const ReduceOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(prod, ".keepdims", const Variable&, const Axes&);
} prod{};

/// Computes (x1 - x2)^2, elementwise for inputs of one shape. Throws InvalidType if the shapes differ.
///   F::squared_difference(array({1.f}), array({3.f}))  // [4]
inline constexpr struct SquaredDifference {
  static constexpr std::string_view name = "squared_difference";
  Variable operator()(const Variable& x1, const Variable& x2) const;
} squared_difference{};

/// Computes the sum of products over pairs of axes, as one matrix product: the last `axes` axes of a with the first of
/// b, or the named ones. The result's shape is the other axes of a, then those of b. Throws DimensionError if paired
/// lengths differ, ValueError if the numbers of axes differ, IndexError for an axis out of range.
///   F::tensordot(ones({2, 3, 4}), ones({3, 4, 5}))  // shape (2, 5)
inline constexpr struct Tensordot {
  static constexpr std::string_view name = "tensordot";
  Variable operator()(const Variable& a, const Variable& b, int64_t axes = 2) const;
  Variable operator()(const Variable& a, const Variable& b, const Dims& a_axes, const Dims& b_axes) const;
} tensordot{};

/// Computes the determinants (N) of matrices (N, n, n), by LU decomposition in float64. Throws InvalidType for another
/// shape; backward() throws ValueError for a singular matrix.
///   F::batch_det(array({{{2.f, 1.f}, {1.f, 2.f}}}))  // [3]
inline constexpr struct BatchDet {
  static constexpr std::string_view name = "batch_det";
  Variable operator()(const Variable& a) const;
} batch_det{};

/// Computes the inverses of matrices (N, n, n). Throws InvalidType for another shape, ValueError that names a singular
/// matrix.
///   F::batch_inv(array({{{2.f, 0.f}, {0.f, 4.f}}}))  // [[[0.5, 0], [0, 0.25]]]
inline constexpr struct BatchInv {
  static constexpr std::string_view name = "batch_inv";
  Variable operator()(const Variable& a) const;
} batch_inv{};

/// Computes the determinant of a matrix (n, n), as shape (). Throws InvalidType for another shape; backward() throws
/// ValueError for a singular matrix.
///   F::det(array({{2.f, 1.f}, {1.f, 2.f}}))  // 3
inline constexpr struct Det {
  static constexpr std::string_view name = "det";
  Variable operator()(const Variable& a) const;
} det{};

/// Computes the inverse of a matrix (n, n). Throws InvalidType for another shape, ValueError for a singular matrix.
///   F::inv(array({{2.f, 0.f}, {0.f, 4.f}}))  // [[0.5, 0], [0, 0.25]]
inline constexpr struct Inv {
  static constexpr std::string_view name = "inv";
  Variable operator()(const Variable& a) const;
} inv{};

/// A label of einsum()'s second form: a number from 0 to 51, or the ellipsis. Throws ValueError for negative numbers.
struct EinsumAxis {
  EinsumAxis(int l) : label(l) {
    if (l < 0) throw ValueError("einsum: a label must not be negative, got ", l);
  }
  EinsumAxis(Ellipsis) : label(-1) {}
  int label;
};
using EinsumAxes = std::vector<EinsumAxis>;
/// Computes Einstein's summation by NumPy's rules: labels, "...", repeated labels of one operand (its diagonal), and
/// without "->" the labels that occur once as the shape of the result. Sums are computed by matrix products; of several
/// operands the pair with the smallest result is multiplied first. If floating dtypes differ, the result has the
/// widest. Throws ValueError for malformed subscripts and a wrong number of operands or axes, DimensionError if a label
/// stands for different lengths, TypeError if an operand is not floating.
///   F::einsum("ij,jk->ik", {ones({2, 3}), ones({3, 4})})  // shape (2, 4)
///   F::einsum({ones({2, 3}), ones({3, 4})}, {{0, 1}, {1, 2}}, {{0, 2}})  // shape (2, 4)
inline constexpr struct Einsum {
  static constexpr std::string_view name = "einsum";
  Variable operator()(const std::string& subscripts, const Variables& operands) const;
  Variable operator()(const Variables& operands, const std::vector<EinsumAxes>& sublists,
                      const std::optional<EinsumAxes>& result = {}) const;
} einsum{};

/// Computes the discrete Fourier transform of x[0] + i x[1] along the last axis, as {real, imaginary} of the same
/// shape. Throws ValueError unless there are two parts, InvalidType if their shapes or dtypes differ or there is no
/// axis.
///   F::fft({array({1.f, 0.f}), array({0.f, 0.f})})  // {[1, 1], [0, 0]}
inline constexpr struct Fft {
  static constexpr std::string_view name = "fft";
  Variables operator()(const Variables& x) const;
} fft{};

/// Computes the inverse of fft(): the same shapes and exceptions.
///   F::ifft({array({1.f, 1.f}), array({0.f, 0.f})})  // {[1, 0], [0, 0]}
inline constexpr struct Ifft {
  static constexpr std::string_view name = "ifft";
  Variables operator()(const Variables& x) const;
} ifft{};

}  // namespace functions
namespace F = functions;

// Arithmetic on variables, elementwise with broadcasting between variables of one dtype (InvalidType otherwise). A
// number or array operand is a constant: it is cast to the dtype of the variable, and an array must broadcast to the
// shape of the variable (ValueError otherwise).
Variable operator-(const Variable& x);
inline Variable operator+(const Variable& x) { return x; }
inline Variable abs(const Variable& x) { return functions::absolute(x); }
#define CHAINER_VARIABLE_OPERATOR(OP)                         \
  Variable operator OP(const Variable& a, const Variable& b); \
  Variable operator OP(const Variable& a, Scalar b);          \
  Variable operator OP(Scalar a, const Variable& b);          \
  Variable operator OP(const Variable& a, const Array& b);    \
  Variable operator OP(const Array& a, const Variable& b);
CHAINER_VARIABLE_OPERATOR(+)
CHAINER_VARIABLE_OPERATOR(-)
CHAINER_VARIABLE_OPERATOR(*)
CHAINER_VARIABLE_OPERATOR(/)
#undef CHAINER_VARIABLE_OPERATOR
/// Computes a to the power of b (Python's **), elementwise with broadcasting. Throws InvalidType as the operators do.
Variable pow(const Variable& a, const Variable& b);
Variable pow(const Variable& a, Scalar b);
Variable pow(Scalar a, const Variable& b);
/// Computes floor(a / b) without gradient (Python's //), elementwise with broadcasting (DimensionError otherwise).
Variable floor_divide(const Variable& a, const Variable& b);
Variable floor_divide(const Variable& a, Scalar b);
Variable floor_divide(Scalar a, const Variable& b);
inline Variable& operator+=(Variable& a, const Variable& b) { return a = a ? a + b : b; }

}  // namespace chainer
