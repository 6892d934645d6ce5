// Names of the operations a backend offers, by family.
#pragma once
#include <cstdint>
#include <string_view>

#include "chainer/array/dtype.h"
#include "chainer/backend/common/elementwise_ops.h"
#include "chainer/backend/common/update_ops.h"

namespace chainer {

/// Every elementwise operation of the lists, and `where`, whose first operand is a bool.
enum class Elementwise : uint8_t {
#define X(NAME, ...) NAME,
  CHAINER_UNARY_OPS(X) CHAINER_BINARY_OPS(X) CHAINER_COMPARE_OPS(X) CHAINER_TERNARY_OPS(X)
#undef X
      where,
  count
};

enum class Category : uint8_t { any, floating, compare };
/// Which compute types an operation has.
Category category(Elementwise op);
/// The number of operands: one, two or three.
int arity(Elementwise op);
std::string_view name(Elementwise op);
/// Roughly how many additions one element costs.
float cost(Elementwise op);
/// The dtype, of those that kernels compute in, through which one dtype becomes another.
Dtype conversion_type(Dtype from, Dtype to);

enum class Reduce : uint8_t { sum, prod, max, min };
std::string_view name(Reduce op);
enum class ArgReduce : uint8_t { argmax, argmin };
enum class Scan : uint8_t { cumsum, cumprod };
/// uniform: [a, b); normal: mean a, deviation b; bernoulli: b with probability a, else 0.
enum class RandomFill : uint8_t { uniform, normal, bernoulli };

enum class Update : uint8_t {
#define X(NAME, ...) NAME,
  CHAINER_UPDATE_OPS(X)
#undef X
      count
};

}  // namespace chainer
