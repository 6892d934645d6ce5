// SPDX-License-Identifier: MIT
// F: utility functions (manual: "Utility functions").
#pragma once
#include <functional>

#include "chainer/autograd/variable.h"

namespace chainer {
namespace functions {

/// Computes func(xs...), inputs and outputs of any shape, and computes it again during backward instead of keeping its
/// intermediate arrays. The second call has config().in_recomputing set and must give the same result; random::global()
/// repeats the numbers of the first call (dropout), if other threads draw none during this call, and config().train is
/// that of the first call. Parameters that func reads get their gradients by backward(), also within grad(); if the
/// gradients themselves need a graph, backward() throws RuntimeError instead.
///   F::forget([](const Variables& x) { return Variables{x[0] * x[0]}; }, {array({2.f})})
inline constexpr struct Forget {
  static constexpr std::string_view name = "forget";
  Variables operator()(std::function<Variables(const Variables&)> func, const Variables& xs) const;
  Variable operator()(const std::function<Variable(const Variable&)>& func, const Variable& x) const;
} forget{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
