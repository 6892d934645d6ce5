// What prelu and swish share: a parameter of the shape of x's axes behind the first.
#pragma once
#include "chainer/autograd/type_check.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"

namespace chainer::functions {

/// Checks x and a parameter of that shape.
inline void check_channels(const type_check::TypeInfos& in) {
  using type_check::expect;
  const int n = in[1].array().ndim();
  expect(in[0].dtype().kind() == 'f', in[1].dtype() == in[0].dtype(), in[0].ndim() >= n + 1);
  expect(in[0].shape().slice(1, 1 + n) == in[1].shape());
}
/// The parameter's shape with axes of length one before and behind, which broadcasts over x.
inline Shape channel_shape(const Shape& parameter, int ndim) {
  Shape s = parameter;
  s.insert(0, 1);
  while (s.ndim() < ndim) s.push_back(1);
  return s;
}
/// The sum over the axes that the parameter lacks.
inline Array sum_to_channels(const Array& g, const Shape& parameter) {
  Dims axes{0};
  for (int i = parameter.ndim() + 1; i < g.ndim(); ++i) axes.push_back(i);
  return chainer::sum(g, axes);
}

}  // namespace chainer::functions
