// F: mathematical functions and arithmetic (manual: "Mathematical functions", "Arithmetic functions").
#pragma once
#include <optional>

#include "chainer/autograd/variable.h"

namespace chainer {
namespace functions {

/// The sum of all arguments, with broadcasting.
///   F::add({array({1.f}), array({2.f}), array({3.f})})  // [6]
inline constexpr struct Add {
  static constexpr std::string_view name = "add";
  Variable operator()(const Variables& xs) const;
  Variable operator()(const Variable& a, const Variable& b) const;
} add{};

/// |x|, also abs(x). The gradient at 0 is 0.
///   F::absolute(array({-1.f, 2.f}))  // [1, 2]
inline constexpr struct Absolute {
  static constexpr std::string_view name = "absolute";
  Variable operator()(const Variable& x) const;
} absolute{};

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
inline constexpr struct Mean {
  static constexpr std::string_view name = "mean";
  Variable operator()(const Variable& x, const Axes& axis = {}, const AverageOptions& options = {}) const {
    return average(x, axis, options);
  }
} mean{};

/// x + y, with y's shape aligned to x's axes from `axis` on; likewise scale: x * y.
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

/// x limited to [x_min, x_max]; the gradient is 0 outside.
///   F::clip(array({-2.f, 0.5f}), -1, 1)  // [-1, 0.5]
inline constexpr struct Clip {
  static constexpr std::string_view name = "clip";
  Variable operator()(const Variable& x, double x_min, double x_max) const;
} clip{};

/// e to the x.
///   F::exp(array({0.f}))  // [1]
inline constexpr struct Exp {
  static constexpr std::string_view name = "exp";
  Variable operator()(const Variable& x) const;
} exp{};

/// The largest integer not above x; no gradient.
///   F::floor(array({1.5f}))  // [1]
inline constexpr struct Floor {
  static constexpr std::string_view name = "floor";
  Variable operator()(const Variable& x) const;
} floor{};

/// Its arguments as they are, in the graph as one function.
///   F::identity(array({1.f}))
inline constexpr struct Identity {
  static constexpr std::string_view name = "identity";
  Variable operator()(const Variable& x) const;
  Variables operator()(const Variables& xs) const;
} identity{};

/// Natural logarithm.
///   F::log(array({1.f}))  // [0]
inline constexpr struct Log {
  static constexpr std::string_view name = "log";
  Variable operator()(const Variable& x) const;
} log{};

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

/// Square root.
///   F::sqrt(array({4.f}))  // [2]
inline constexpr struct Sqrt {
  static constexpr std::string_view name = "sqrt";
  Variable operator()(const Variable& x) const;
} sqrt{};

/// x times x.
///   F::square(array({-3.f}))  // [9]
inline constexpr struct Square {
  static constexpr std::string_view name = "square";
  Variable operator()(const Variable& x) const;
} square{};

/// Sum over axes, all by default.
///   F::sum(array({{1.f, 2.f}, {3.f, 4.f}}), 0)  // [4, 6]
inline constexpr struct Sum {
  static constexpr std::string_view name = "sum";
  Variable operator()(const Variable& x, const Axes& axis = {}, const ReduceOptions& options = {}) const;
} sum{};

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
