// F: mathematical functions and arithmetic (manual: "Mathematical functions", "Arithmetic functions").
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "chainer/autograd/variable.h"
#include "chainer/functions/math_elementwise.h"
#include "chainer/routines/arithmetic.h"  // an array's operators: without them an array would become a Variable

namespace chainer {
namespace functions {

/// The sum of all arguments, with broadcasting.
///   F::add({array({1.f}), array({2.f}), array({3.f})})  // [6]
inline constexpr struct Add {
  static constexpr std::string_view name = "add";
  Variable operator()(const Variables& xs) const;
  Variable operator()(const Variable& a, const Variable& b) const;
} add{};

/// Options of average().
struct AverageOptions {
  Variable weights = {};  ///< one weight an element, or along the one axis; equal weights by default
  bool keepdims = false;
};
/// Weighted mean over axes.
///   F::average(array({1.f, 2.f, 3.f}))  // 2
inline constexpr struct Average {
  static constexpr std::string_view name = "average";
  Variable operator()(const Variable& x, const Axes& axis = {}, const AverageOptions& options = {}) const;
} average{};
/// Another name of average.
///   F::mean(array({1.f, 2.f, 3.f}))  // 2
inline constexpr struct Mean {
  static constexpr std::string_view name = "mean";
  Variable operator()(const Variable& x, const Axes& axis = {}, const AverageOptions& options = {}) const {
    return average(x, axis, options);
  }
} mean{};

/// x + y, with y's shape aligned to x's axes from `axis` on and lengths of 1 repeated; likewise scale: x * y.
///   F::bias(array({{1.f, 2.f}}), array({10.f, 20.f}))  // [[11, 22]]
inline constexpr struct Bias {
  static constexpr std::string_view name = "bias";
  Variable operator()(const Variable& x, const Variable& y, int64_t axis = 1) const;
} bias{};
///   F::scale(array({{1.f, 2.f}}), array({10.f, 20.f}))  // [[10, 40]]
inline constexpr struct Scale {
  static constexpr std::string_view name = "scale";
  Variable operator()(const Variable& x, const Variable& y, int64_t axis = 1) const;
} scale{};

/// Its arguments as they are, in the graph as one function.
///   F::identity(array({1.f}))
inline constexpr struct Identity {
  static constexpr std::string_view name = "identity";
  Variable operator()(const Variable& x) const;
  Variables operator()(const Variables& xs) const;
} identity{};

/// Options of matmul().
struct MatmulOptions {
  bool transa = false, transb = false;  ///< transpose the last two axes first
};
/// Matrix product under NumPy's rules: stacks of matrices broadcast, one-axis operands are vectors.
///   F::matmul(array({{1.f, 0.f}, {0.f, 1.f}}), array({{4.f, 1.f}, {2.f, 2.f}}))
inline constexpr struct Matmul {
  static constexpr std::string_view name = "matmul";
  Variable operator()(const Variable& a, const Variable& b, const MatmulOptions& options = {}) const;
} matmul{};

/// Options of sum(), max(), min().
struct ReduceOptions {
  bool keepdims = false;
};
/// Largest and smallest elements over axes. Every element equal to the extreme gets its gradient.
///   F::max(array({{1.f, 3.f}, {2.f, 0.f}}), 1)  // [3, 2]
inline constexpr struct Max {
  static constexpr std::string_view name = "max";
  Variable operator()(const Variable& x, const Axes& axis = {}, const ReduceOptions& options = {}) const;
} max{};
///   F::min(array({{1.f, 3.f}, {2.f, 0.f}}), 1)  // [1, 0]
inline constexpr struct Min {
  static constexpr std::string_view name = "min";
  Variable operator()(const Variable& x, const Axes& axis = {}, const ReduceOptions& options = {}) const;
} min{};

/// The larger or smaller of two, elementwise with broadcasting; of equal ones the first gets the gradient.
///   F::maximum(array({1.f, 3.f}), array({2.f, 2.f}))  // [2, 3]
inline constexpr struct Maximum {
  static constexpr std::string_view name = "maximum";
  Variable operator()(const Variable& x1, const Variable& x2) const;
} maximum{};
///   F::minimum(array({1.f, 3.f}), array({2.f, 2.f}))  // [1, 2]
inline constexpr struct Minimum {
  static constexpr std::string_view name = "minimum";
  Variable operator()(const Variable& x1, const Variable& x2) const;
} minimum{};

/// Sum over axes, all by default.
///   F::sum(array({{1.f, 2.f}, {3.f, 4.f}}), 0)  // [4, 6]
inline constexpr struct Sum {
  static constexpr std::string_view name = "sum";
  Variable operator()(const Variable& x, const Axes& axis = {}, const ReduceOptions& options = {}) const;
} sum{};

/// The position of the largest element, int32: in the flattened array, or along an axis. No gradient.
///   F::argmax(array({1.f, 3.f}))  // 1
inline constexpr struct Argmax {
  static constexpr std::string_view name = "argmax";
  Variable operator()(const Variable& x, std::optional<int64_t> axis = {}) const;
} argmax{};

/// The position of the smallest element, as argmax.
///   F::argmin(array({1.f, 3.f}))  // 0
inline constexpr struct Argmin {
  static constexpr std::string_view name = "argmin";
  Variable operator()(const Variable& x, std::optional<int64_t> axis = {}) const;
} argmin{};

/// The angle of the point (x2, x1) in (-pi, pi].
///   F::arctan2(array({0.f}), array({1.f}))  // [0]
inline constexpr struct Arctan2 {
  static constexpr std::string_view name = "arctan2";
  Variable operator()(const Variable& x1, const Variable& x2) const;
} arctan2{};

/// The squared Euclidean norm of each item of a batch: (N, ...) to (N).
///   F::batch_l2_norm_squared(array({{3.f, 4.f}}))  // [25]
inline constexpr struct BatchL2NormSquared {
  static constexpr std::string_view name = "batch_l2_norm_squared";
  Variable operator()(const Variable& x) const;
} batch_l2_norm_squared{};

/// Products of stacks of matrices (N, m, k); (N, m) are columns. Deprecated in favour of matmul.
///   F::batch_matmul(ones({2, 3, 4}), ones({2, 4, 5}))
inline constexpr struct BatchMatmul {
  static constexpr std::string_view name = "batch_matmul";
  Variable operator()(const Variable& a, const Variable& b, const MatmulOptions& options = {}) const;
} batch_matmul{};

/// Running products along an axis, or of the flattened array.
///   F::cumprod(array({2.f, 3.f, 4.f}))  // [2, 6, 24]
inline constexpr struct Cumprod {
  static constexpr std::string_view name = "cumprod";
  Variable operator()(const Variable& x, std::optional<int64_t> axis = {}) const;
} cumprod{};

/// Running sums along an axis, or of the flattened array.
///   F::cumsum(array({1.f, 2.f, 3.f}))  // [1, 3, 6]
inline constexpr struct Cumsum {
  static constexpr std::string_view name = "cumsum";
  Variable operator()(const Variable& x, std::optional<int64_t> axis = {}) const;
} cumsum{};

/// The remainder of x / divisor with the sign of x, as C's fmod.
///   F::fmod(array({-3.f}), array({2.f}))  // [-1]
inline constexpr struct Fmod {
  static constexpr std::string_view name = "fmod";
  Variable operator()(const Variable& x, const Variable& divisor) const;
} fmod{};

/// p x + (1 - p) y
///   F::linear_interpolate(array({0.5f}), array({1.f}), array({3.f}))  // [2]
inline constexpr struct LinearInterpolate {
  static constexpr std::string_view name = "linear_interpolate";
  Variable operator()(const Variable& p, const Variable& x, const Variable& y) const;
} linear_interpolate{};

/// log(sum(exp(x))) over axes, without overflow.
///   F::logsumexp(array({0.f, 0.f}))  // 0.693
inline constexpr struct Logsumexp {
  static constexpr std::string_view name = "logsumexp";
  Variable operator()(const Variable& x, const Axes& axis = {}) const;
} logsumexp{};

/// The product over axes. Its gradient is right for elements that are zero, too.
///   F::prod(array({2.f, 3.f}))  // 6
inline constexpr struct Prod {
  static constexpr std::string_view name = "prod";
  Variable operator()(const Variable& x, const Axes& axis = {}, const ReduceOptions& options = {}) const;
} prod{};

/// (x1 - x2)^2
///   F::squared_difference(array({1.f}), array({3.f}))  // [4]
inline constexpr struct SquaredDifference {
  static constexpr std::string_view name = "squared_difference";
  Variable operator()(const Variable& x1, const Variable& x2) const;
} squared_difference{};

/// The sum of products over pairs of axes: the last `axes` of a with the first of b, or those named. One matrix
/// product.
///   F::tensordot(ones({2, 3, 4}), ones({3, 4, 5}))  // shape (2, 5)
inline constexpr struct Tensordot {
  static constexpr std::string_view name = "tensordot";
  Variable operator()(const Variable& a, const Variable& b, int64_t axes = 2) const;
  Variable operator()(const Variable& a, const Variable& b, const Dims& a_axes, const Dims& b_axes) const;
} tensordot{};

/// Determinants of matrices (N, n, n), by LU decomposition in float64. The gradient needs regular ones.
///   F::batch_det(array({{{2.f, 1.f}, {1.f, 2.f}}}))  // [3]
inline constexpr struct BatchDet {
  static constexpr std::string_view name = "batch_det";
  Variable operator()(const Variable& a) const;
} batch_det{};

/// Inverses of matrices (N, n, n). A singular one is a ValueError that names it.
///   F::batch_inv(array({{{2.f, 0.f}, {0.f, 4.f}}}))  // [[[0.5, 0], [0, 0.25]]]
inline constexpr struct BatchInv {
  static constexpr std::string_view name = "batch_inv";
  Variable operator()(const Variable& a) const;
} batch_inv{};

/// The determinant of a square matrix.
///   F::det(array({{2.f, 1.f}, {1.f, 2.f}}))  // 3
inline constexpr struct Det {
  static constexpr std::string_view name = "det";
  Variable operator()(const Variable& a) const;
} det{};

/// The inverse of a square matrix; ValueError for a singular one.
///   F::inv(array({{2.f, 0.f}, {0.f, 4.f}}))  // [[0.5, 0], [0, 0.25]]
inline constexpr struct Inv {
  static constexpr std::string_view name = "inv";
  Variable operator()(const Variable& a) const;
} inv{};

/// A label of einsum's second form: a number, or the ellipsis.
struct EinsumAxis {
  EinsumAxis(int l) : label(l) {
    if (l < 0) throw ValueError("einsum: a label must not be negative, one is ", l);
  }
  EinsumAxis(Ellipsis) : label(-1) {}
  int label;
};
using EinsumAxes = std::vector<EinsumAxis>;
/// Einstein's summation under NumPy's rules: labels, "...", repeated labels of one operand (its diagonal), and without
/// "->" the labels that occur once as the result. Sums go to matrix products; of several operands the pair with the
/// smallest result is multiplied first.
///   F::einsum("ij,jk->ik", {ones({2, 3}), ones({3, 4})})  // shape (2, 4)
///   F::einsum({ones({2, 3}), ones({3, 4})}, {{0, 1}, {1, 2}}, {{0, 2}})  // shape (2, 4)
inline constexpr struct Einsum {
  static constexpr std::string_view name = "einsum";
  Variable operator()(const std::string& subscripts, const Variables& operands) const;
  Variable operator()(const Variables& operands, const std::vector<EinsumAxes>& sublists,
                      const std::optional<EinsumAxes>& result = {}) const;
} einsum{};

/// The discrete Fourier transform along the last axis of x[0] + i x[1], as its real and imaginary parts.
///   F::fft({array({1.f, 0.f}), array({0.f, 0.f})})  // {[1, 1], [0, 0]}
inline constexpr struct Fft {
  static constexpr std::string_view name = "fft";
  Variables operator()(const Variables& x) const;
} fft{};

/// The inverse of fft.
///   F::ifft({array({1.f, 1.f}), array({0.f, 0.f})})  // {[1, 0], [0, 0]}
inline constexpr struct Ifft {
  static constexpr std::string_view name = "ifft";
  Variables operator()(const Variables& x) const;
} ifft{};

}  // namespace functions
namespace F = functions;

// Arithmetic on variables, with broadcasting between variables of one dtype. A number or array constant is cast to the
// variable's dtype and never widens it.
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
/// a to the b, elementwise (Python's **).
Variable pow(const Variable& a, const Variable& b);
Variable pow(const Variable& a, Scalar b);
Variable pow(Scalar a, const Variable& b);
/// floor(a / b), without gradient (Python's //).
Variable floor_divide(const Variable& a, const Variable& b);
Variable floor_divide(const Variable& a, Scalar b);
Variable floor_divide(Scalar a, const Variable& b);
inline Variable& operator+=(Variable& a, const Variable& b) { return a = a ? a + b : b; }

}  // namespace chainer
