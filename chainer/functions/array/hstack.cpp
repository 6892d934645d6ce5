// SPDX-License-Identifier: MIT
#include "chainer/functions/array.h"

namespace chainer::functions {
namespace {
// Adds axes of length one up to `ndim`: the first two at the front, the third at the end.
Variable at_least(const Variable& x, int ndim) {
  Variable y = x;
  if (y.ndim() < 1) y = reshape(y, {1});
  if (ndim > 1 && y.ndim() < 2) y = expand_dims(y, 0);
  if (ndim > 2 && y.ndim() < 3) y = expand_dims(y, 2);
  return y;
}
Variables all_at_least(const Variables& xs, int ndim, std::string_view name) {
  if (xs.empty()) throw ValueError(name, ": at least one array is needed");
  Variables out;
  for (const Variable& x : xs) out.push_back(at_least(x, ndim));
  return out;
}
}  // namespace

Variable Hstack::operator()(const Variables& xs) const {
  const Variables all = all_at_least(xs, 1, name);
  return concat(all, all[0].ndim() == 1 ? 0 : 1);
}
Variable Vstack::operator()(const Variables& xs) const { return concat(all_at_least(xs, 2, name), 0); }
Variable Dstack::operator()(const Variables& xs) const { return concat(all_at_least(xs, 3, name), 2); }

}  // namespace chainer::functions
