// SPDX-License-Identifier: MIT
// The type check of det, inv and their batched forms.
#pragma once
#include "chainer/autograd/type_check.h"

namespace chainer::functions {

/// Expects one floating argument "a" with `ndim` axes, the last two of the same length.
inline void expect_square_matrices(const type_check::TypeInfos& in, int64_t ndim) {
  in.names({"a"});
  type_check::expect(in[0].dtype().kind() == 'f', in[0].ndim() == ndim);
  type_check::expect(in[0].shape(-1) == in[0].shape(-2));
}

}  // namespace chainer::functions
