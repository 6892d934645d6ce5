// SPDX-License-Identifier: MIT
// Shared by prelu and swish: a parameter in the shape of the axes of x after the first.
#pragma once
#include "chainer/autograd/type_check.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"

namespace chainer::functions {

/// Checks the dtypes and shapes of x and the parameter.
inline void check_channels(const type_check::TypeInfos& in) {
  using type_check::expect;
  const int n = in[1].array().ndim();
  expect(in[0].dtype().kind() == 'f', in[1].dtype() == in[0].dtype(), in[0].ndim() >= n + 1);
  expect(in[0].shape().slice(1, 1 + n) == in[1].shape());
}
/// Returns the parameter's shape with axes of length one before and after, which broadcasts over x.
inline Shape channel_shape(const Shape& parameter, int ndim) {
  Shape s = parameter;
  s.insert(0, 1);
  while (s.ndim() < ndim) s.push_back(1);
  return s;
}
/// Returns the sum over the axes that the parameter does not have.
inline Array sum_to_channels(const Array& g, const Shape& parameter) {
  Dims axes{0};
  for (int i = parameter.ndim() + 1; i < g.ndim(); ++i) axes.push_back(i);
  return chainer::sum(g, axes);
}

}  // namespace chainer::functions
