// SPDX-License-Identifier: MIT
#include "chainer/autograd/type_check.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {

// Dividing by constant counts leaves a sum, whose gradients of every order are those of this function.
Variable ScatterMean::operator()(const Variable& a, const Indices& slices, const Variable& b) const {
  const auto again = [&](const Variable& to, const Variable& from) { return (*this)(to, slices, from); };
  if (const auto y = in_mixed_precision(MixedPrecision::widest, again, a, b)) return *y;
  type_check::check("ScatterMean", {a.array(), b.array()}, [](const type_check::TypeInfos& in) {
    in.names({"a", "b"});
    type_check::expect(in[0].dtype().kind() == 'f', in[0].dtype() == in[1].dtype());
  });
  const Array nothing = zeros(a.shape(), a.dtype(), a.device());
  Array counts = nothing.copy();
  chainer::add_at(counts, slices,
                  chainer::broadcast_to(ones({}, a.dtype(), a.device()), chainer::get_item(nothing, slices).shape()));
  const Variable sums = scatter_add(Variable(nothing, false), slices, b);
  return where(Variable(counts > 0, false), sums / Variable(chainer::maximum(counts, ones_like(counts)), false), a);
}

}  // namespace chainer::functions
