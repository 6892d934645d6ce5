// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/functions/array.h"

namespace chainer::functions {

Variable Moveaxis::operator()(const Variable& x, const Dims& source, const Dims& destination) const {
  if (source.ndim() != destination.ndim())
    throw ValueError("moveaxis: ", source.ndim(), " source axes, ", destination.ndim(), " destinations");
  const Dims from = Axes(source).normalized(x.ndim(), "moveaxis");
  (void)Axes(destination).normalized(x.ndim(), "moveaxis");  // refuses repeated axes
  Dims order = Dims::filled(x.ndim(), -1);
  for (int i = 0; i < source.ndim(); ++i)
    order[normalize_axis(destination[i], x.ndim(), "moveaxis")] = normalize_axis(source[i], x.ndim(), "moveaxis");
  int64_t next = 0;
  for (int64_t& d : order) {
    if (d >= 0) continue;
    while (std::find(from.begin(), from.end(), next) != from.end()) ++next;
    d = next++;
  }
  return transpose(x, order);
}
Variable Moveaxis::operator()(const Variable& x, int64_t source, int64_t destination) const {
  return (*this)(x, Dims{source}, Dims{destination});
}

}  // namespace chainer::functions
