// SPDX-License-Identifier: MIT
// The elementwise operations, generated from the lists of formulas.
#include "chainer/backend/common/formula_math.h"

#include "chainer/backend/reference/elements.h"
#include "chainer/backend/reference/reference_backend.h"

namespace chainer::reference {
namespace {

// Returns true if an operation of this category is defined for T: all but `any` require floating types.
template <class T>
constexpr bool has(Category c) {
  return c == Category::any || std::is_floating_point_v<T>;
}

// Computes one element. Formulas name their operands x, or a, b and c.
template <class T>
T value_of(Elementwise op, T a, T b, T c) {
  [[maybe_unused]] const T x = a;
  switch (op) {
#define X(NAME, CATEGORY, COST, ...)                                              \
  case Elementwise::NAME:                                                         \
    if constexpr (has<T>(Category::CATEGORY)) return static_cast<T>(__VA_ARGS__); \
    break;
    // clang-format off
    CHAINER_UNARY_OPS(X)
    CHAINER_BINARY_OPS(X)
    CHAINER_TERNARY_OPS(X)
    // clang-format on
#undef X
    default: break;
  }
  (void)b, (void)c;
  throw DtypeError(name(op), ": not defined for integers");
}

template <class T>
bool truth_of(Elementwise op, T a, T b) {
  switch (op) {
#define X(NAME, COST, ...) \
  case Elementwise::NAME: return __VA_ARGS__;
    CHAINER_COMPARE_OPS(X)
    CHAINER_TEST_OPS(X)
#undef X
    default: return false;
  }
}

}  // namespace

void ReferenceBackend::elementwise(Elementwise op, std::span<const Array* const> inputs, Array& out, Dtype compute) {
  const Elements to(out), first(*inputs[0]);
  const Elements second = inputs.size() > 1 ? Elements(*inputs[1]) : first;
  const Elements third = inputs.size() > 2 ? Elements(*inputs[2]) : first;
  in_work_type(compute, [&]<class T>() {
    for (int64_t i = 0; i < to.size(); ++i) {
      if (op == Elementwise::where)
        to.set(i, first.get<bool>(i) ? second.get<T>(i) : third.get<T>(i));
      else if (category(op) == Category::compare)
        to.set(i, truth_of(op, first.get<T>(i), second.get<T>(i)));
      else
        to.set(i, value_of(op, first.get<T>(i), second.get<T>(i), third.get<T>(i)));
    }
  });
}

}  // namespace chainer::reference
