// SPDX-License-Identifier: MIT
// Inputs whose floating dtypes differ, which the release accepts.
#pragma once
#include <concepts>
#include <optional>
#include <utility>

#include "chainer/array/narrowed.h"
#include "chainer/autograd/config.h"
#include "chainer/autograd/mixed_precision.h"
#include "chainer/autograd/type_check.h"
#include "chainer/functions/array.h"

namespace chainer::functions {

/// Returns true if both are floating and their dtypes differ, but not in mixed precision, in which apply() casts
/// inputs.
inline bool mixed(const Variable& x, const Variable& W) {
  return x.dtype() != W.dtype() && !config().dtype.get().products && is_floating(x.dtype()) && is_floating(W.dtype());
}
/// Returns true if the dtypes of x and W, or of x and b, are floating and differ. b may be none.
inline bool mixed(const Variable& x, const Variable& W, const Variable& b) { return mixed(x, W) || (b && mixed(x, b)); }

/// Returns true if mixed precision is on and one of the inputs has 16 bits, for functions that compute in float32 then.
template <class... V>
bool are_narrow(const V&... inputs) {
  return (is_narrow_in_mixed_precision(inputs) || ...);
}

/// In mixed precision, calls call(inputs...) with the inputs cast as the policy wants. Returns none if no cast is
/// needed.
///   if (const auto y = in_mixed_precision(MixedPrecision::narrow, *this, a, b)) return *y;
template <class Call, std::same_as<Variable>... V>
auto in_mixed_precision(MixedPrecision policy, const Call& call, const V&... inputs)
    -> std::optional<decltype(call(inputs...))> {
  if (!config().dtype.get().products) return {};
  Variables in{inputs...};
  if (!cast_in_mixed_precision(policy, in)) return {};
  return [&]<std::size_t... i>(std::index_sequence<i...>) { return call(in[i]...); }
  (std::index_sequence_for<V...>());
}

/// Returns true if x has 16 bits and its weight float32, as in mixed precision (MixedPrecision::narrow_weight).
inline bool is_wide_weight(Dtype x, Dtype W) { return W == float32 && is_floating(x) && item_size(x) == 2; }
/// Checks the dtypes of the inputs x and W of a function of the policy narrow_weight.
inline void expect_weight_of(const type_check::TypeInfos& in) {
  if (!is_wide_weight(in[0].array().dtype(), in[1].array().dtype())) type_check::expect(in[1].dtype() == in[0].dtype());
}
/// Returns a weight in the dtype of x.
inline Array weight_for(const Array& x, const Array& W) { return W.dtype() == x.dtype() ? W : narrowed(W, x.dtype()); }
/// Does so for a gradient, in a graph if gradients have one.
inline Variable weight_for(const Variable& x, const Variable& W) {
  if (W.dtype() == x.dtype()) return W;
  return config().enable_backprop ? cast(W, x.dtype()) : Variable(narrowed(W.array(), x.dtype()), false);
}

/// Computes call(x, W, b) in the widest of the dtypes and casts the result to the dtype of x. Gradients have the dtypes
/// of their inputs. With config().type_check, throws InvalidType unless b has the dtype of x.
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
