// Gradients with a graph for functions whose backward goes through other functions.
#pragma once
#include <functional>

#include "chainer/autograd/function_node.h"

namespace chainer {

/// What a backward() returns with enable_backprop: the gradients by `inputs[i]`, i in `wanted`, of f(inputs), whose
/// outputs have the gradients `gy` (or none). They are partial derivatives: where an input was computed from another
/// one, or is the same, grad() by the inputs themselves would add the way from one to the other, which the caller's
/// walk takes later as well.
Variables partial_gradients(const std::function<Variables(const Variables&)>& f, const Variables& inputs,
                            const Indexes& wanted, const Variables& gy);

}  // namespace chainer
