// SPDX-License-Identifier: MIT
#include "chainer/testing/gradient_check.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/random.h"
#include "chainer/routines/reduction.h"

namespace chainer {

void testing::assert_allclose(const Array& x, const Array& y, const AllcloseOptions& o) {
  if (!x || !y) throw AssertionError("assert_allclose: ", x ? "y" : "x", " is empty");
  if (x.shape() != y.shape()) throw AssertionError("assert_allclose: shapes differ: ", x.shape(), " and ", y.shape());
  const std::vector<double> a = x.to_vector<double>(), b = y.to_vector<double>();
  std::size_t worst = a.size(), wrong = 0;
  double worst_excess = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if ((std::isnan(a[i]) && std::isnan(b[i])) || a[i] == b[i]) continue;
    const double error = std::abs(a[i] - b[i]), allowed = o.atol + o.rtol * std::abs(b[i]);
    if (error <= allowed) continue;
    ++wrong;
    const double excess = std::isfinite(error) ? error - allowed : HUGE_VAL;
    if (worst == a.size() || excess > worst_excess) worst = i, worst_excess = excess;
  }
  if (wrong == 0) return;
  Dims index = Dims::filled(x.ndim(), 0);
  auto rest = static_cast<int64_t>(worst);
  for (int d = x.ndim() - 1; d >= 0; --d) index[d] = rest % x.shape()[d], rest /= x.shape()[d];
  const double error = std::abs(a[worst] - b[worst]);
  throw AssertionError("not equal to tolerance rtol=", o.rtol, ", atol=", o.atol, "\n", wrong, " of ", a.size(),
                       " elements differ; the worst at ", index, "\n  x: shape ", x.shape(), ", dtype ", x.dtype(),
                       ", value ", a[worst], "\n  y: shape ", y.shape(), ", dtype ", y.dtype(), ", value ", b[worst],
                       "\n  absolute error ", error, ", relative error ", error / std::abs(b[worst]), "\nx: ", x,
                       "\ny: ", y);
}

namespace gradient_check {
namespace {

// sum(y * gy) in float64.
double weighted_sum(const Arrays& y, const Arrays& gy) {
  double total = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (i >= gy.size() || !gy[i]) continue;
    total += sum(y[i].astype(float64) * gy[i].astype(float64)).item<double>();
  }
  return total;
}

void set_element(Array& a, int64_t flat, double v) {
  Dims index = Dims::filled(a.ndim(), 0);
  for (int d = a.ndim() - 1; d >= 0; --d) index[d] = flat % a.shape()[d], flat /= a.shape()[d];
  Indices at;
  for (int64_t i : index) at.push_back(i);
  set_item(a, at, full({}, v, a.dtype()));
}

// Throws NondifferentiableError if the residual of a quadratic fit through five equally spaced points is large relative
// to their spread.
void check_smooth(const std::array<double, 5>& y, double atol, double rtol) {
  const bool finite = std::isfinite(y[2]);
  for (double v : y)
    if (std::isfinite(v) != finite)
      throw NondifferentiableError("the function is finite at some points nearby, but not at others");
  if (!finite) return;
  const auto [lo, hi] = std::minmax_element(y.begin(), y.end());
  if (*hi == *lo) return;
  // Least squares on -2, ..., 2: the residual lies along the cubic and quartic orthogonal polynomials.
  const double c3 = (-y[0] + 2 * y[1] - 2 * y[3] + y[4]), c4 = (y[0] - 4 * y[1] + 6 * y[2] - 4 * y[3] + y[4]);
  const double residual = c3 * c3 / 10 + c4 * c4 / 70;
  if (std::sqrt(residual / 5) > atol + rtol * (*hi - *lo))
    throw NondifferentiableError("the function is not differentiable at the point: its values nearby are ", y[0], ", ",
                                 y[1], ", ", y[2], ", ", y[3], ", ", y[4]);
}

// For the message of a failed check: the element whose gradient differs most from the numerical one. Looks at a few
// thousand elements at most, because each needs two calls of the function.
template <class Value>
std::string worst_element(const std::vector<std::pair<Array, Array>>& moved, const Arrays& gradients,
                          const Value& value, const CheckOptions& o) {
  constexpr int64_t most = 4096;
  std::vector<Array> directions;
  for (const auto& [data, direction] : moved) directions.push_back(zeros(data.shape(), float64));
  double largest = -1, analytic = 0, numerical = 0;
  std::size_t where = 0;
  int64_t element = 0, looked_at = 0;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const std::vector<double> g = gradients[i] ? gradients[i].to_vector<double>() : std::vector<double>();
    for (int64_t j = 0; j < moved[i].first.size() && looked_at < most; ++j, ++looked_at) {
      set_element(directions[i], j, 1);
      const double n = (value(o.eps, directions) - value(-o.eps, directions)) / (2 * o.eps);
      set_element(directions[i], j, 0);
      const double a = g.empty() ? 0 : g[static_cast<std::size_t>(j)];
      const double difference = std::isfinite(a - n) ? std::abs(a - n) : HUGE_VAL;
      if (difference > largest) largest = difference, analytic = a, numerical = n, where = i, element = j;
    }
  }
  if (largest < 0) return "";
  Dims index = Dims::filled(moved[where].first.ndim(), 0);
  for (int d = moved[where].first.ndim() - 1; d >= 0; --d) {
    index[d] = element % moved[where].first.shape()[d];
    element /= moved[where].first.shape()[d];
  }
  return text("\nlargest difference: element ", index, " of the ", where + 1,
              ". of the inputs with gradient and parameters: ", "gradient ", analytic, ", numerical ", numerical,
              gradients[where] ? "" : " (backward returned no gradient: the input is not connected)");
}

}  // namespace

Arrays numerical_grad(const std::function<Arrays()>& f, Arrays inputs, const Arrays& gy,
                      const NumericalGradOptions& o) {
  const UsingConfig unchecked(&Config::type_check, false);
  Arrays out;
  for (Array& x : inputs) {
    if (!is_floating(x.dtype())) throw RuntimeError("numerical_grad: inputs must be floating, not ", x.dtype());
    Array g(x.shape(), float64);
    const std::vector<double> values = x.to_vector<double>();
    for (int64_t i = 0; i < x.size(); ++i) {
      const double v = values[static_cast<std::size_t>(i)];
      const auto at = [&](double shift) {
        set_element(x, i, v + shift);
        return weighted_sum(f(), gy);
      };
      double d;
      if (o.detect_nondifferentiable) {
        const std::array<double, 5> y{at(-o.eps), at(-o.eps / 2), at(0), at(o.eps / 2), at(o.eps)};
        check_smooth(y, o.diff_atol, o.diff_rtol);
        d = (-y[4] + 8 * y[3] - 8 * y[1] + y[0]) / (6 * o.eps);
      } else {
        const double high = at(o.eps), low = at(-o.eps);
        d = (high - low) / (2 * o.eps);
      }
      set_element(x, i, v);
      g.mutable_data<double>()[i] = d;
    }
    out.push_back(g.astype(x.dtype(), false));
  }
  return out;
}

void check_backward(const std::function<Variables(const Variables&)>& func, const Arrays& x_data, const Arrays& y_grad,
                    const CheckOptions& o) {
  if (o.dtype && !is_floating(*o.dtype)) throw ValueError("check_backward: dtype must be floating, not ", *o.dtype);
  const auto skipped = [&](std::size_t i) {
    return i < o.no_grads.size() ? bool(o.no_grads[i]) : !is_floating(x_data[i].dtype());
  };

  Variables xs;
  for (std::size_t i = 0; i < x_data.size(); ++i) xs.push_back(Variable(x_data[i], is_floating(x_data[i].dtype())));
  for (const Parameter& p : o.params) Parameter(p).cleargrad();
  Variables ys = func(xs);
  if (ys.empty()) throw RuntimeError("check_backward: the function returned nothing");
  // Identity joins all outputs in one node, so that a single backward pass starts from all of them.
  ys = functions::identity(ys);
  Arrays gys;
  if (y_grad.empty()) {
    if (ys.size() != 1 || ys[0].size() != 1)
      throw ValueError("check_backward: y_grad is needed unless the one output is a scalar");
    gys.push_back(ones_like(ys[0].array()));
  } else {
    if (y_grad.size() != ys.size())
      throw ValueError("check_backward: ", y_grad.size(), " output gradients for ", ys.size(), " outputs");
    gys = y_grad;
  }
  for (std::size_t i = 0; i < ys.size(); ++i) ys[i].set_grad(gys[i]);
  for (std::size_t i = 0; i < ys.size(); ++i)
    if (gys[i]) {
      ys[i].backward();
      break;
    }
  for (std::size_t i = 0; i < xs.size(); ++i)
    if (skipped(i) && xs[i].grad())
      throw RuntimeError("check_backward: input ", i, " has a gradient where none is expected");

  // A random direction of unit length over all inputs and parameters.
  std::vector<std::pair<Array, Array>> moved;  // (data, direction)
  Arrays gradients;
  for (std::size_t i = 0; i < xs.size(); ++i)
    if (!skipped(i)) moved.emplace_back(x_data[i], Array()), gradients.push_back(xs[i].grad());
  for (const Parameter& p : o.params) moved.emplace_back(p.array(), Array()), gradients.push_back(p.grad());
  double norm = 0;
  for (auto& [data, direction] : moved) {
    direction = random::normal(0, 1, data.shape());
    norm += sum(square(direction)).item<double>();
  }
  norm = std::sqrt(norm);
  double expected = 0;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    Array& direction = moved[i].second;
    direction = direction / (norm > 0 ? norm : 1.0);
    if (!gradients[i]) continue;  // not connected: contributes nothing
    if (gradients[i].dtype() != moved[i].first.dtype() || gradients[i].shape() != moved[i].first.shape())
      throw AssertionError("check_backward: gradient ", i, " has dtype ", gradients[i].dtype(), " and shape ",
                           gradients[i].shape());
    expected += sum(gradients[i].astype(float64) * direction).item<double>();
  }

  // The derivative along that direction. Every input moves by delta times its direction; for a single element
  // (worst_element) the direction is 1 there and 0 elsewhere.
  const auto value_at = [&](double delta, const std::vector<Array>& directions) {
    const UsingConfig unchecked(&Config::type_check, o.dtype ? false : bool(config().type_check));
    Variables inputs;
    std::size_t k = 0;
    std::vector<Array> saved;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      Array a = x_data[i];
      const Dtype d = o.dtype && is_floating(a.dtype()) ? *o.dtype : a.dtype();
      if (!skipped(i))
        a = (a.astype(float64) + directions[k++] * delta).astype(d);
      else if (d != a.dtype())
        a = a.astype(d);
      inputs.push_back(a);
    }
    std::vector<Parameter> params = o.params;
    for (Parameter& p : params) {
      saved.push_back(p.array());
      p.set_array((p.array().astype(float64) + directions[k++] * delta).astype(o.dtype.value_or(p.dtype())));
    }
    const NoBackpropMode no_graph;
    Arrays out;
    for (const Variable& y : func(inputs)) out.push_back(y.array());
    for (std::size_t i = 0; i < params.size(); ++i) params[i].set_array(saved[i]);
    return weighted_sum(out, gys);
  };
  std::vector<Array> directions;
  for (const auto& [data, direction] : moved) directions.push_back(direction);
  const auto value = [&](double delta) { return value_at(delta, directions); };
  if (o.detect_nondifferentiable)
    check_smooth({value(-o.eps), value(-o.eps / 2), value(0), value(o.eps / 2), value(o.eps)}, 0, 0.01);
  const double numerical = (value(o.eps) - value(-o.eps)) / (2 * o.eps);
  if (std::abs(expected - numerical) <= o.atol + o.rtol * std::abs(numerical)) return;
  throw AssertionError("check_backward failed (eps=", o.eps, " atol=", o.atol, " rtol=", o.rtol,
                       ")\nthe gradients along a random direction: ", expected,
                       "\nthe numerical derivative along it:       ", numerical,
                       worst_element(moved, gradients, value_at, o));
}

void check_double_backward(const std::function<Variables(const Variables&)>& func, const Arrays& x_data,
                           const Arrays& y_grad, const Arrays& x_grad_grad, CheckOptions o) {
  const std::size_t n = x_data.size();
  const auto first_order = [&](const Variables& in) {
    const Variables xs(in.begin(), in.begin() + n);
    const ForceBackpropMode graph;
    Variables inputs;
    for (const Variable& x : xs)
      inputs.push_back(is_floating(x.dtype()) ? (x.requires_grad() ? functions::identity(x) : Variable(x.array())) : x);
    Variables ys = func(inputs), gys, targets;
    for (std::size_t i = n; i < in.size(); ++i) gys.push_back(in[i]);
    for (const Variable& x : inputs)
      if (is_floating(x.dtype())) targets.push_back(x);
    for (const Parameter& p : o.params) targets.push_back(p.variable());
    Variables gx = grad(ys, targets, {.grad_outputs = gys, .enable_double_backprop = true});
    for (std::size_t i = 0; i < gx.size(); ++i)
      if (!gx[i]) gx[i] = Variable(zeros_like(targets[i].array()), false);
    return gx;
  };
  Arrays inputs = x_data, ggx = x_grad_grad;
  for (const Array& g : y_grad) inputs.push_back(g);
  for (const Array& g : o.params_grad_grad) ggx.push_back(g);
  check_backward(first_order, inputs, ggx, o);
}

}  // namespace gradient_check
}  // namespace chainer
