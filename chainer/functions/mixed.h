// Inputs whose floating dtypes differ, as the release takes them.
#pragma once
#include "chainer/autograd/config.h"
#include "chainer/autograd/type_check.h"
#include "chainer/functions/array.h"

namespace chainer::functions {

/// Whether both are floating and of dtypes that differ.
inline bool mixed(const Variable& x, const Variable& W) {
  return x.dtype() != W.dtype() && is_floating(x.dtype()) && is_floating(W.dtype());
}
/// The same of three, the last of which may be none.
inline bool mixed(const Variable& x, const Variable& W, const Variable& b) { return mixed(x, W) || (b && mixed(x, b)); }

/// call(x, W, b) in the widest of the dtypes, with a result of x's. Gradients have their inputs' dtypes. A bias must
/// have x's dtype where types are checked.
template <class Call>
Variable in_dtype_of_x(const char* function, const Variable& x, const Variable& W, const Variable& b,
                       const Call& call) {
  if (b && config().type_check)
    type_check::check(function, {x.array(), b.array()}, [](const type_check::TypeInfos& in) {
      in.names({"x", "b"});
      type_check::expect(in[1].dtype() == in[0].dtype());
    });
  Dtype wide = promote(x.dtype(), W.dtype());
  if (b) wide = promote(wide, b.dtype());
  return cast(call(cast(x, wide), cast(W, wide), b ? cast(b, wide) : b), x.dtype());
}

}  // namespace chainer::functions
