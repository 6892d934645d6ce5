// SPDX-License-Identifier: MIT
// The families of operations that a backend offers, without the names in the lists (see ops.h and updates.h). Headers
// that only pass an operation on include this header, so that a new row of a list recompiles few sources.
#pragma once
#include <cstdint>
#include <string_view>

#include "chainer/array/dtype.h"

namespace chainer {

/// An elementwise operation (elementwise_ops.h).
enum class Elementwise : uint8_t;
/// The formula of an optimizer (update_ops.h).
enum class Update : uint8_t;

enum class Reduce : uint8_t { sum, prod, max, min };
std::string_view name(Reduce op);
enum class ArgReduce : uint8_t { argmax, argmin };
enum class Scan : uint8_t { cumsum, cumprod };
/// uniform: in [a, b); normal: mean a, standard deviation b; bernoulli: b with probability a, else 0.
enum class RandomFill : uint8_t { uniform, normal, bernoulli };

/// Returns the dtype in which kernels compute for a dtype: float64 for itself, float32 for the other floating types,
/// int64 for the rest.
constexpr Dtype compute_dtype(Dtype d) {
  return d == Dtype::float64 ? d : is_floating(d) ? Dtype::float32 : Dtype::int64;
}
/// Returns the compute dtype through which one dtype is converted to another.
Dtype conversion_type(Dtype from, Dtype to);

}  // namespace chainer
