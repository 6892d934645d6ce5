// What functions of the pooling chapter share: checked plans, and the linear operations between images and windows.
#pragma once
#include "chainer/array/per_axis.h"
#include "chainer/autograd/function_node.h"
#include "chainer/array/operations/pooling.h"
#include "chainer/functions/pooling/images.h"

namespace chainer::functions {

/// Checks that x is a floating array (N, C, spatial...) with this many spatial axes; any number from one on if none.
void check_images(const char* label, const Variable& x, int axes = 0);
/// Windows of pooling on images x. Throws an error that names the sizes if there is no window.
PoolingPlan pooling_plan(std::string_view function, const Shape& x, const PerAxis& ksize, const PerAxis& stride,
                         const PerAxis& pad, bool cover_all);
/// The pooling whose windows are x, of images of `outsize`, or of the lengths that follow from x.
PoolingPlan unpooling_plan(std::string_view function, const Shape& x, const PerAxis& ksize, const PerAxis& stride,
                           const PerAxis& pad, const PerAxis& outsize, bool cover_all);

/// Weighted sums of windows, or their adjoint, which spreads them.
Variable window_sum(std::string label, Pooling op, const PoolingPlan& plan, const Variable& x);
/// The elements at places of windows (int32, in `order`), or the adjoint.
Variable window_pick(std::string label, Pooling op, const PoolingPlan& plan, const Array& places,
                     const ImageOrder& order, const Variable& x);

}  // namespace chainer::functions
