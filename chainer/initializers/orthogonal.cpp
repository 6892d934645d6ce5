// SPDX-License-Identifier: MIT
#include "chainer/array/backend.h"
#include "chainer/initializers/random.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/linalg.h"
#include "chainer/routines/random.h"

namespace chainer::initializers {

void Orthogonal::operator()(Array& a) const {
  check_dtype(a);
  if (a.ndim() == 0) return a.fill(scale_);
  if (a.size() == 0) throw ValueError("Orthogonal: the array must have elements, its shape is ", a.shape());
  const int64_t rows = a.shape()[0], columns = a.size() / rows;
  if (rows > columns) throw ValueError("Orthogonal: ", rows, " rows of ", columns, " elements cannot be orthogonal");
  const Svd d = svd(random::normal(0, 1, {rows, columns}));
  // For a square matrix u is used, else vt, which has the shape of the weight.
  copy_elements((rows == columns ? d.u : d.vt).reshape(a.shape()) * scale_, a);
}

}  // namespace chainer::initializers
