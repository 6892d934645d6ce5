// SPDX-License-Identifier: MIT
#include "chainer/functions/normalization/inverse_square_root.h"

#include <limits>

#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/linalg.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"

namespace chainer::functions {
namespace {

// Eigenvectors, as columns, and eigenvalues of symmetric, positive definite matrices.
struct Eigen {
  Array vectors, values;  // (N, n, n), (N, n), float64
  Array finite;           // (N, 1, 1): false for matrices with a NaN or an infinity, which are replaced
};

Eigen eigen(const Array& a) {
  const Array wide = a.astype(float64), finite = isfinite(chainer::sum(wide, {1, 2}, true));
  const Array valid = chainer::where(finite, (wide + chainer::swapaxes(wide, 1, 2)) * 0.5,
                                     eye(a.shape()[1], {}, 0, float64).to_device(a.device()));
  const Svd d = svd(valid);
  return {d.u, d.s, finite};
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Array transposed(const Array& a) { return chainer::swapaxes(a, 1, 2); }

// The solution G of P G + G P = Q for symmetric, positive definite P: in the basis of P's eigenvectors, the elements of
// Q divided by sums of two eigenvalues.
struct LyapunovNode : FunctionNode {
  std::string label() const override { return "Lyapunov"; }
  Arrays forward(const Arrays& in) override {
    retain_inputs({0});
    retain_outputs({0});
    const Eigen e = eigen(in[0]);
    const Array in_basis = chainer::matmul(chainer::matmul(transposed(e.vectors), in[1].astype(float64)), e.vectors);
    const Array sums = chainer::expand_dims(e.values, 2) + chainer::expand_dims(e.values, 1);
    const Array g = chainer::matmul(chainer::matmul(e.vectors, in_basis / sums), transposed(e.vectors));
    return {chainer::where(e.finite, g, full({}, kNan, float64, g.device())).astype(in[1].dtype())};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable p = retained_inputs<1>()[0], g = retained_output(0);
    const Variable gq = apply_single(LyapunovNode(), p, gy[0]);
    return {-(matmul(gq, g, {.transb = true}) + matmul(g, gq, {.transa = true})), gq};
  }
};

struct InverseSquareRootNode : FunctionNode {
  std::string label() const override { return "InverseSquareRoot"; }
  Arrays forward(const Arrays& in) override {
    retain_inputs({0});
    retain_outputs({0});
    const Eigen e = eigen(in[0]);
    const Array roots = e.vectors * chainer::expand_dims(chainer::rsqrt(e.values), 1);
    const Array y = chainer::matmul(roots, transposed(e.vectors));
    return {chainer::where(e.finite, y, full({}, kNan, float64, y.device())).astype(in[0].dtype())};
  }
  // With the square root P = A S of A, the changes are P dP + dP P = dA and dS = -S dP S.
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable a = retained_inputs<1>()[0], s = retained_output(0);
    return {apply_single(LyapunovNode(), matmul(a, s), -matmul(matmul(s, gy[0]), s))};
  }
};

}  // namespace

Variable inverse_square_root(const Variable& a) { return apply_single(InverseSquareRootNode(), a); }

}  // namespace chainer::functions
