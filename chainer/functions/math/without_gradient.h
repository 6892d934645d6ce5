// Functions whose result has no gradient: an export still finds them.
#pragma once
#include <utility>

#include "chainer/autograd/node_attributes.h"

namespace chainer::functions {

/// y as the result of a composed function. While somebody records it has a place in the graph, so that functions of it
/// are recorded, too; otherwise it is a variable without a gradient.
template <class Describe>
Variable without_gradient(std::string_view label, const Variable& x, Array y, const Describe& describe) {
  return composite(label, {&x}, Variable(std::move(y), CompositeRecorder::current != nullptr), describe);
}
inline Variable without_gradient(std::string_view label, const Variable& x, Array y) {
  return without_gradient(label, x, std::move(y), [](NodeAttributes&) {});
}

}  // namespace chainer::functions
