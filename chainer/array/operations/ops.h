// SPDX-License-Identifier: MIT
// The elementwise operations of the lists, with the operands, cost and category of each.
#pragma once
#include <cstdint>
#include <string_view>

#include "chainer/array/operations/elementwise_ops.h"
#include "chainer/array/operations/families.h"

namespace chainer {

/// All elementwise operations of the lists, and `where`, whose first operand is bool. The unary list, which grows most
/// often, comes last, so that a new row at its end does not change the numbers of the others.
enum class Elementwise : uint8_t {
#define X(NAME, ...) NAME,
  CHAINER_BINARY_OPS(X) CHAINER_COMPARE_OPS(X) CHAINER_TEST_OPS(X) CHAINER_TERNARY_OPS(X) where,
  CHAINER_UNARY_OPS(X) count
#undef X
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
    {"where", Category::any, 3, 1},
#define X(NAME, CATEGORY, COST, ...) {#NAME, Category::CATEGORY, 1, COST},
    CHAINER_UNARY_OPS(X)
#undef X
};
// clang-format on
}  // namespace detail

/// Returns the category of compute types that an operation supports.
constexpr Category category(Elementwise op) { return detail::kOperations[static_cast<int>(op)].category; }
/// Returns the number of operands: one, two or three.
constexpr int arity(Elementwise op) { return detail::kOperations[static_cast<int>(op)].arity; }
constexpr std::string_view name(Elementwise op) { return detail::kOperations[static_cast<int>(op)].name; }
/// Returns the approximate cost of one element, in additions.
constexpr float cost(Elementwise op) { return detail::kOperations[static_cast<int>(op)].cost; }

}  // namespace chainer
