// What the links with states share.
#pragma once
#include "chainer/links/recurrent.h"
#include "chainer/routines/creation.h"

namespace chainer::links {

/// The variable, or zeros where it is none.
inline Variable or_zeros(const Variable& v, const Shape& shape, const Variable& like) {
  return v ? v : Variable(zeros(shape, like.dtype(), like.device()), false);
}
/// Refuses states that are none.
inline void check_state(std::string_view link, std::initializer_list<Variable> states) {
  for (const Variable& v : states)
    if (!v) throw ValueError(link, ".set_state: the state is none; reset_state() clears it");
}

}  // namespace chainer::links
