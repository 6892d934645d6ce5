// SPDX-License-Identifier: MIT
// Shared by the pooling functions: checked plans, and the linear operations between images and windows.
#pragma once
#include "chainer/array/per_axis.h"
#include "chainer/autograd/function_node.h"
#include "chainer/array/operations/pooling.h"
#include "chainer/functions/pooling/images.h"

namespace chainer::functions {

/// Checks that x is a floating array (N, C, spatial...) with `axes` spatial axes, or at least one if `axes` is 0.
void check_images(const char* label, const Variable& x, int axes = 0);
/// Returns the plan of pooling images of shape x. Throws DimensionError if no window fits, ValueError for invalid
/// sizes.
PoolingPlan pooling_plan(std::string_view function, const Shape& x, const PerAxis& ksize, const PerAxis& stride,
                         const PerAxis& pad, bool cover_all);
/// Returns the plan of the pooling that maps images of `outsize`, or of the lengths that follow from x, to shape x.
PoolingPlan unpooling_plan(std::string_view function, const Shape& x, const PerAxis& ksize, const PerAxis& stride,
                           const PerAxis& pad, const PerAxis& outsize, bool cover_all);

/// Computes weighted sums of windows, or the adjoint, which spreads elements over windows.
Variable window_sum(std::string label, Pooling op, const PoolingPlan& plan, const Variable& x);
/// Selects the elements at positions in windows (int32, in `order`), or computes the adjoint.
Variable window_pick(std::string label, Pooling op, const PoolingPlan& plan, const Array& places,
                     const ImageOrder& order, const Variable& x);

}  // namespace chainer::functions
