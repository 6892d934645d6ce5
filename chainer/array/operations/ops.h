// Names of the operations a backend offers, by family.
#pragma once
#include <cstdint>
#include <string_view>

#include "chainer/array/dtype.h"
#include "chainer/array/operations/elementwise_ops.h"
#include "chainer/array/operations/update_ops.h"

namespace chainer {

/// Every elementwise operation of the lists, and `where`, whose first operand is a bool.
enum class Elementwise : uint8_t {
#define X(NAME, ...) NAME,
  CHAINER_UNARY_OPS(X) CHAINER_BINARY_OPS(X) CHAINER_COMPARE_OPS(X) CHAINER_TEST_OPS(X) CHAINER_TERNARY_OPS(X)
#undef X
      where,
  count
};

enum class Category : uint8_t { any, floating, special, compare };
namespace detail {
struct OperationRow {
  std::string_view name;
  Category category;
  int arity;
  float cost;
};
inline constexpr OperationRow kOperations[] = {
// clang-format off
#define X(NAME, CATEGORY, COST, ...) {#NAME, Category::CATEGORY, 1, COST},
    CHAINER_UNARY_OPS(X)
#undef X
#define X(NAME, CATEGORY, COST, ...) {#NAME, Category::CATEGORY, 2, COST},
    CHAINER_BINARY_OPS(X)
#undef X
#define X(NAME, COST, ...) {#NAME, Category::compare, 2, COST},
    CHAINER_COMPARE_OPS(X)
#undef X
#define X(NAME, COST, ...) {#NAME, Category::compare, 1, COST},
    CHAINER_TEST_OPS(X)
#undef X
#define X(NAME, CATEGORY, COST, ...) {#NAME, Category::CATEGORY, 3, COST},
    CHAINER_TERNARY_OPS(X)
#undef X
    {"where", Category::any, 3, 1}};
// clang-format on
}  // namespace detail

/// Which compute types an operation has.
constexpr Category category(Elementwise op) { return detail::kOperations[static_cast<int>(op)].category; }
/// The number of operands: one, two or three.
constexpr int arity(Elementwise op) { return detail::kOperations[static_cast<int>(op)].arity; }
constexpr std::string_view name(Elementwise op) { return detail::kOperations[static_cast<int>(op)].name; }
/// Roughly how many additions one element costs.
constexpr float cost(Elementwise op) { return detail::kOperations[static_cast<int>(op)].cost; }
/// The dtype that kernels compute in for a dtype: float64, float32 for the other floating ones, int64 for the rest.
constexpr Dtype compute_dtype(Dtype d) {
  return d == Dtype::float64 ? d : is_floating(d) ? Dtype::float32 : Dtype::int64;
}
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
