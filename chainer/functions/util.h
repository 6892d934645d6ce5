// F: utility functions (manual: "Utility functions").
#pragma once
#include <functional>

#include "chainer/autograd/variable.h"

namespace chainer {
namespace functions {

/// func(xs...), computed again during backward instead of keeping its intermediate arrays. Parameters that the function
/// reads get their gradients by backward(); where gradients get a graph of their own that is an error. The function is
/// called with config().in_recomputing set the second time and must give the same result.
///   F::forget([](const Variables& x) { return Variables{x[0] * x[0]}; }, {array({2.f})})
inline constexpr struct Forget {
  static constexpr std::string_view name = "forget";
  Variables operator()(std::function<Variables(const Variables&)> func, const Variables& xs) const;
  Variable operator()(const std::function<Variable(const Variable&)>& func, const Variable& x) const;
} forget{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
