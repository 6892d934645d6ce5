// SPDX-License-Identifier: MIT
// The composed form of pooling: one elementwise step per element of the window.
#include "chainer/array/operations/pooling.h"

#include <limits>

#include "chainer/array/operations/ops.h"
#include "chainer/backend/common/composed/windows.h"

namespace chainer {

using namespace composed;

namespace {
Array both(const Array& a, const Array& b) { return computed(Elementwise::logical_and, {a, b}, int64); }
Array either(const Array& a, const Array& b) { return computed(Elementwise::logical_or, {a, b}, int64); }
Array no(const Array& a) { return computed(Elementwise::logical_not, {a}, int64); }
Array is_nan(const Array& a) { return computed(Elementwise::isnan, {a}, a.dtype()); }
}  // namespace

void Backend::pooling(Pooling op, const PoolingPlan& plan, const Array& in, Array& out, Array* position) {
  const PaddedImages padding(plan.size, plan.out, plan.ksize, plan.stride, plan.pad, Dims::filled(plan.size.ndim(), 1));
  const int64_t outer = in.shape()[0], inner = in.shape()[in.ndim() - 1];
  const Dtype dtype = in.dtype();
  const bool to_images = op == Pooling::scatter || op == Pooling::spread;
  Array padded = padding.blank(outer, inner, dtype, 0, in), inside = padding.blank(1, 1, Dtype::bool_, false, in);
  padding.images(inside).fill(true);
  if (!to_images) store(in, padding.images(padded));
  const auto number_of = [&](int64_t k) { return filled({}, int32, k, in); };
  const auto is_number = [&](const Array& a, int64_t k) {
    return computed(Elementwise::equal, {a, number_of(k)}, int32);
  };
  const Shape windows = to_images ? in.shape() : out.shape();

  Array weights;  // for sums, per window
  if (op == Pooling::sum || op == Pooling::spread) {
    weights = number(1, in);
    if (plan.weight == PoolingPlan::Weight::volume) weights = number(1 / static_cast<double>(padding.count()), in);
    if (plan.weight == PoolingPlan::Weight::inside) {
      Array count = number(0, in);
      for (int64_t k = 0; k < padding.count(); ++k) count = add(count, padding.element(inside, k).astype(dtype));
      weights = unary(Elementwise::reciprocal, count);
    }
  }
  const Array zero = number(0, in);
  Array found = filled(windows, Dtype::bool_, false, in);  // for max: windows of which an element was seen
  if (!to_images) out.fill(op == Pooling::max ? Scalar(-std::numeric_limits<double>::infinity()) : Scalar(0));
  if (op == Pooling::max && position) position->fill(0);
  for (int64_t k = 0; k < padding.count(); ++k) {
    Array x = padding.element(padded, k);
    const Array here = padding.element(inside, k);
    switch (op) {
      case Pooling::max: {  // the first in the image, then larger ones; NaN counts as largest and is kept
        const Array larger = either(computed(Elementwise::greater, {x, out}, dtype), is_nan(x));
        const Array chosen = both(here, either(no(found), both(larger, no(is_nan(out)))));
        compute_into(Elementwise::where, {chosen, x, out}, out, dtype);
        if (position) compute_into(Elementwise::where, {chosen, number_of(k), *position}, *position, int32);
        compute_into(Elementwise::logical_or, {found, here}, found, int64);
        break;
      }
      case Pooling::sum: compute_into(Elementwise::multiply_add, {x, weights, out}, out, dtype); break;
      case Pooling::gather:
        compute_into(Elementwise::where, {both(here, is_number(*position, k)), x, out}, out, dtype);
        break;
      case Pooling::scatter:
        compute_into(Elementwise::add, {x, computed(Elementwise::where, {is_number(*position, k), in, zero}, dtype)}, x,
                     dtype);
        break;
      case Pooling::spread: compute_into(Elementwise::multiply_add, {in, weights, x}, x, dtype); break;
    }
  }
  if (to_images) copy_elements(padding.images(padded), out);
}

}  // namespace chainer
