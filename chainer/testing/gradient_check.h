// SPDX-License-Identifier: MIT
// Checking gradients by finite differences (manual: "Gradient checking"). Needs no test framework: failures throw.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "chainer/autograd/parameter.h"
#include "chainer/autograd/variable.h"

namespace chainer {

/// A function was found not to be differentiable at the point checked.
class NondifferentiableError : public Error {
 public:
  using Error::Error;
};
/// Two arrays that should agree do not; also any other finding of a check.
class AssertionError : public Error {
 public:
  using Error::Error;
};

namespace testing {

/// Options of assert_allclose().
struct AllcloseOptions {
  double atol = 1e-5, rtol = 1e-4;
};
/// Throws AssertionError unless |x - y| <= atol + rtol |y| everywhere (NaN equals NaN) and the shapes agree: the text
/// has shapes, dtypes, the worst element with its index and errors.
void assert_allclose(const Array& x, const Array& y, const AllcloseOptions& options = {});

}  // namespace testing

namespace gradient_check {

/// Options of numerical_grad(), in the manual's order.
struct NumericalGradOptions {
  double eps = 1e-3;
  bool detect_nondifferentiable = false;
  double diff_atol = 0, diff_rtol = 0.01;
};
/// Gradients of sum(f() * grad_outputs) by central differences, moving each element of the inputs in place. None output
/// gradients are skipped.
Arrays numerical_grad(const std::function<Arrays()>& f, Arrays inputs, const Arrays& grad_outputs,
                      const NumericalGradOptions& options = {});

/// Options of check_backward() and check_double_backward(), in the manual's order.
struct CheckOptions {
  std::vector<Parameter> params = {};
  double eps = 1e-3, atol = 1e-5, rtol = 1e-4;
  std::vector<bool> no_grads = {};  ///< inputs whose gradient must be none; by default those that are not floating
  std::optional<Dtype> dtype = {};  ///< the numerical side runs in this floating dtype
  bool detect_nondifferentiable = false;
  Arrays params_grad_grad = {};  ///< check_double_backward only
};
/// Compares the gradients of func at x_data with the numerical derivative along a random direction. y_grad may be
/// empty for a scalar loss. Also checks dtype and shape of each gradient, and that inputs without gradient get none.
void check_backward(const std::function<Variables(const Variables&)>& func, const Arrays& x_data, const Arrays& y_grad,
                    const CheckOptions& options = {});
/// The same for the first gradient as a function of inputs and output gradients. That it passes proves that the second
/// gradient belongs to the first one, not that the first one belongs to the function: check_backward does that. Along
/// one random direction, an error that is zero there is not seen either; another seed takes another direction.
void check_double_backward(const std::function<Variables(const Variables&)>& func, const Arrays& x_data,
                           const Arrays& y_grad, const Arrays& x_grad_grad, CheckOptions options = {});

}  // namespace gradient_check
}  // namespace chainer
