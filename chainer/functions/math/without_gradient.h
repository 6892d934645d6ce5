// SPDX-License-Identifier: MIT
// Functions whose result has no gradient but which an export must still find.
#pragma once
#include <utility>

#include "chainer/autograd/node_attributes.h"

namespace chainer::functions {

/// Returns y as the result of a composed function. During a recording y is part of the graph, so that functions of y
/// are recorded, too; otherwise y is a variable without a gradient.
template <class Describe>
Variable without_gradient(std::string_view label, const Variable& x, Array y, const Describe& describe) {
  return composite(label, {&x}, Variable(std::move(y), CompositeRecorder::current != nullptr), describe);
}
inline Variable without_gradient(std::string_view label, const Variable& x, Array y) {
  return without_gradient(label, x, std::move(y), [](NodeAttributes&) {});
}

}  // namespace chainer::functions
