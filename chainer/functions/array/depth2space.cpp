// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"

namespace chainer::functions {
namespace {
void check(const char* label, const Variable& X, int64_t r, bool divides_channels) {
  type_check::check(label, {X.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x"});
    type_check::expect(in[0].dtype().kind() == 'f', in[0].ndim() == 4);
  });
  if (r < 1) throw ValueError(label, ": r must be positive, not ", r);
  const Shape& s = X.shape();
  if (divides_channels ? s[1] % (r * r) != 0 : s[2] % r != 0 || s[3] % r != 0)
    throw ValueError(label, ": r = ", r, " does not divide the array of shape ", s);
}
}  // namespace

// depth2space turns the channels (i, j, c) of a pixel into pixel (i, j) of a block; space2depth is the inverse.
Variable Depth2space::operator()(const Variable& X, int64_t r) const {
  check("Depth2Space", X, r, true);
  const Shape& s = X.shape();
  const int64_t c = s[1] / (r * r);
  return reshape(transpose(reshape(X, {s[0], r, r, c, s[2], s[3]}), {0, 3, 4, 1, 5, 2}), {s[0], c, s[2] * r, s[3] * r});
}
Variable Space2depth::operator()(const Variable& X, int64_t r) const {
  check("Space2Depth", X, r, false);
  const Shape& s = X.shape();
  const int64_t h = s[2] / r, w = s[3] / r;
  return reshape(transpose(reshape(X, {s[0], s[1], h, r, w, r}), {0, 3, 5, 1, 2, 4}), {s[0], s[1] * r * r, h, w});
}

}  // namespace chainer::functions
