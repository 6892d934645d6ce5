// SPDX-License-Identifier: MIT
// Shared by links with states.
#pragma once
#include "chainer/links/recurrent.h"
#include "chainer/routines/creation.h"

namespace chainer::links {

/// Returns the variable, or zeros if it is none.
inline Variable or_zeros(const Variable& v, const Shape& shape, const Variable& like) {
  return v ? v : Variable(zeros(shape, like.dtype(), like.device()), false);
}
/// Moves a state to the device of x: that to which the link was moved after its last call. The graph of earlier calls
/// ends here, since its gradients are on the other device.
inline void follow(Variable& state, const Variable& x) {
  if (state && state.device() != x.device()) state = Variable(state.array().to_device(x.device()), false);
}
/// Throws ValueError if a state is none.
inline void check_state(std::string_view link, std::initializer_list<Variable> states) {
  for (const Variable& v : states)
    if (!v) throw ValueError(link, ".set_state: the state is none; reset_state() clears it");
}

}  // namespace chainer::links
