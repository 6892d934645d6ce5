// SPDX-License-Identifier: MIT
// Functions in mixed precision, on inputs of 16 bits, of float32, and of both.
#include <algorithm>

#include "chainer/autograd/function_node.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/random.h"
#include "chainer/routines/reduction.h"
#include "chainer/testing/op_case_parts.h"

namespace chainer::testing {
namespace {

struct Results {
  Arrays y, gx;
};

// Computes the results and, with gradients `gy` of the results, the gradients of the inputs.
Results results(const OpCase& c, const Arrays& in, Arrays& gy) {
  Variables xs = roots(in);
  Variables ys = F::identity(c.function(xs));
  Results out{arrays_of(ys), {}};
  if (!c.differentiable) return out;
  random::RandomState r(3);
  if (gy.empty())
    for (const Variable& y : ys) gy.push_back(is_floating(y.dtype()) ? r.randn(y.shape()) : Array());
  bool any = false;
  for (std::size_t i = 0; i < ys.size(); ++i) {
    if (!gy[i]) continue;
    ys[i].set_grad(gy[i].astype(ys[i].dtype()));
    any = true;
  }
  if (any && ys[0].creator()) ys[0].backward();
  for (const Variable& x : xs) out.gx.push_back(x.grad());
  return out;
}

// Compares with a tolerance relative to the largest element, since results of 16 bits are sums of rounded terms.
void expect_close(const std::string& what, const Array& a, const Array& expected, double tolerance) {
  if (expected.size() == 0) return;
  const double largest = std::max(1.0, max(absolute(expected)).astype(float64).item<double>());
  try {
    assert_allclose(a, expected, {.atol = tolerance * largest, .rtol = tolerance});
  } catch (const AssertionError& e) { throw AssertionError(text(what, ": ", e.what())); }
}

// `tolerance` is that of a result of one rounding.
void check_in(const OpCase& c, const DefaultDtype& mode, double tolerance) {
  const Dtype narrow = *mode.products;
  // Inputs that 16 bits represent, so that a rounded input is on the same side of a kink.
  Arrays inputs, gy;
  for (const Array& a : c.inputs) inputs.push_back(is_floating(a.dtype()) ? a.astype(narrow).astype(a.dtype()) : a);
  const Results expected = results(c, inputs, gy);
  const UsingConfig scope(&Config::dtype, mode);
  for (int pattern = 0; pattern < 4; ++pattern) {  // bit i % 2: the dtype of input i
    Arrays in;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Array& a = inputs[i];
      in.push_back(!is_floating(a.dtype()) ? a : a.astype(pattern >> i % 2 & 1 ? narrow : float32));
    }
    const std::string where = text("mixed precision, inputs of dtypes ", pattern & 1 ? narrow : float32, ", ",
                                   pattern & 2 ? narrow : float32, ", ...");
    const Results r = results(c, in, gy);
    for (std::size_t i = 0; i < r.y.size(); ++i) {
      const Array& y = r.y[i];
      if (!is_floating(y.dtype())) continue;
      if (y.dtype() == float64 && !c.float64_result) throw AssertionError(where + ": a result has dtype float64");
      expect_close(text(where, ": result ", i), y, expected.y[i], 2 * tolerance);
    }
    for (std::size_t i = 0; i < r.gx.size(); ++i) {
      const Array &g = r.gx[i], &wanted = expected.gx[i];
      if (static_cast<bool>(g) != static_cast<bool>(wanted))
        throw AssertionError(text(where, ": input ", i, g ? " has a" : " has no", " gradient"));
      if (!g) continue;
      if (g.dtype() != in[i].dtype())
        throw AssertionError(text(where, ": the gradient of input ", i, " has dtype ", g.dtype()));
      expect_close(text(where, ": gradient ", i), g, wanted, 4 * tolerance);
    }
  }
}

}  // namespace

void check_mixed_precision(const OpCase& c) {
  check_in(c, mixed16, c.half_tolerance);
  check_in(c, mixed_bfloat16, 8 * c.half_tolerance);  // three bits less
}

}  // namespace chainer::testing
