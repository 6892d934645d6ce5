// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/connection.h"
#include "chainer/functions/math.h"
#include "chainer/functions/rows.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {

Variable Bilinear::operator()(const Variable& e1, const Variable& e2, const Variable& W, const Variable& V1,
                              const Variable& V2, const Variable& b) const {
  if (const auto y = in_mixed_precision(MixedPrecision::narrow, *this, e1, e2, W, V1, V2, b)) return *y;
  if (static_cast<bool>(V1) != static_cast<bool>(V2) || static_cast<bool>(V1) != static_cast<bool>(b))
    throw ValueError("bilinear: give all of V1, V2 and b, or none of them");
  const auto rows = [](const Variable& e) { return e.ndim() == 2 ? e : rows_of(e); };
  const Variable x = rows(e1), y = rows(e2);
  type_check::check("BilinearFunction", {x.array(), y.array(), W.array()}, [](const type_check::TypeInfos& in) {
    in.names({"e1", "e2", "W"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f', in[1].dtype() == in[0].dtype(), in[2].dtype() == in[0].dtype());
    expect(in[0].shape(0) == in[1].shape(0), in[2].ndim() == 3, in[2].shape(0) == in[0].shape(1));
    expect(in[2].shape(1) == in[1].shape(1));
  });
  // (N, J) and (N, K) with (J, K, L): products of all pairs (N, J * K), then one matrix product.
  const int64_t n = x.shape()[0], j = x.shape()[1], k = y.shape()[1];
  const Variable pairs = reshape(expand_dims(x, 2) * expand_dims(y, 1), {n, j * k});
  const Variable z = matmul(pairs, reshape(W, {j * k, W.shape()[2]}));
  return V1 ? z + matmul(x, V1) + matmul(y, V2) + b : z;
}

}  // namespace chainer::functions
