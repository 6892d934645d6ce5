// SPDX-License-Identifier: MIT
// Gradients with a graph for functions whose backward() differentiates other functions.
#pragma once
#include <functional>

#include "chainer/autograd/function_node.h"

namespace chainer {

/// Computes the result of a backward() with enable_backprop: the gradients with respect to inputs[i], for i in
/// `wanted`, of f(inputs), where `gy` are the gradients with respect to its outputs (or empty). They are partial
/// derivatives: if one input was computed from another, or equals it, grad() with respect to the inputs themselves
/// would include the path between them, which the caller's traversal adds later.
Variables partial_gradients(const std::function<Variables(const Variables&)>& f, const Variables& inputs,
                            const Indexes& wanted, const Variables& gy);

}  // namespace chainer
