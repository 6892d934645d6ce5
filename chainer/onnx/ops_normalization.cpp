// SPDX-License-Identifier: MIT
// Normalization and dropout.
#include <cmath>

#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/noise.h"
#include "chainer/functions/normalization.h"
#include "chainer/onnx/call.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/random.h"
#include "chainer/routines/reduction.h"

namespace chainer::onnx {
namespace {

namespace F = functions;

Variable cast_to(const Variable& x, Dtype d) { return F::cast(x, d); }

Variables batch_normalization(const Call& c) {
  const Variable& x = c[0];
  if (c.opset() < 9 && !c.integer("spatial", 1)) c.fail("statistics per pixel (spatial = 0) are not supported");
  if (x.ndim() < 2) c.fail("expected an array (N, C, ...), got shape ", x.shape());
  const double eps = c.real("epsilon", 1e-5), momentum = c.real("momentum", 0.9);
  const Variable gamma = cast_to(c[1], x.dtype()), beta = cast_to(c[2], x.dtype());
  Dims axes = {0};
  for (int i = 2; i < x.ndim(); ++i) axes.push_back(i);
  if (c.integer("training_mode", 0)) {
    const Array mean = chainer::mean(x.array(), axes), var = chainer::var(x.array(), axes);
    const Variable y = F::batch_normalization(x, gamma, beta, {.eps = eps, .axis = axes});
    const auto mixed = [&](std::size_t i, const Array& now) {
      return Variable((c.array(i) * momentum + now.astype(c.array(i).dtype(), false) * (1 - momentum)), false);
    };
    return {y, mixed(3, mean), mixed(4, var)};
  }
  // In training, uses the statistics of the batch and updates the running ones.
  if (config().train && c.array(3).dtype() == x.dtype() && c.opset() >= 7)
    return {F::batch_normalization(
        x, gamma, beta,
        {.eps = eps, .running_mean = c.array(3), .running_var = c.array(4), .decay = momentum, .axis = axes})};
  return {F::fixed_batch_normalization(x, gamma, beta, cast_to(c[3], x.dtype()), cast_to(c[4], x.dtype()),
                                       {.eps = eps, .axis = axes})};
}

struct Standardized {
  Variable y, mean, inverse_deviation;
};
Standardized standardize(const Variable& x, const Axes& axes, double eps) {
  const Variable mean = F::average(x, axes, {.keepdims = true}), centred = x - mean;
  const Variable inverse = 1.0 / F::sqrt(F::average(centred * centred, axes, {.keepdims = true}) + eps);
  return {centred * inverse, mean, inverse};
}
Axes from_axis(int first, int ndim) {
  Dims axes;
  for (int i = first; i < ndim; ++i) axes.push_back(i);
  return Axes(axes);
}
// Reshapes one number per channel for images of this rank.
Variable of_channels(const Variable& v, int ndim) {
  Shape along = Shape(Dims::filled(ndim, 1));
  along[1] = v.size();
  return F::reshape(v, along);
}

Variables instance_normalization(const Call& c) {
  const Variable& x = c[0];
  if (x.ndim() < 3) c.fail("expected images (N, C, d...), got shape ", x.shape());
  const Variable y = standardize(x, from_axis(2, x.ndim()), c.real("epsilon", 1e-5)).y;
  return {y * of_channels(c[1], x.ndim()) + of_channels(c[2], x.ndim())};
}

// Computes 16-bit inputs in float32, as specified by stash_type.
Variable widened(const Call& c, const Variable& x) {
  return c.integer("stash_type", 1) == 1 && item_size(x.dtype()) == 2 ? cast_to(x, float32) : x;
}

Variables layer_normalization(const Call& c) {
  const Variable x = widened(c, c[0]);
  const int axis = c.axis(c.integer("axis", -1), x.ndim());
  const Standardized s = standardize(x, from_axis(axis, x.ndim()), c.real("epsilon", 1e-5));
  Variable y = cast_to(s.y, c.dtype()) * c[1];
  if (c.has(2)) y = y + c[2];
  return {y, s.mean, s.inverse_deviation};
}

Variables rms_normalization(const Call& c) {
  const Variable x = widened(c, c[0]);
  const int axis = c.axis(c.integer("axis", -1), x.ndim());
  const Variable square = F::average(x * x, from_axis(axis, x.ndim()), {.keepdims = true});
  return {cast_to(x / F::sqrt(square + c.real("epsilon", 1e-5)), c.dtype()) * c[1]};
}

Variables group_normalization(const Call& c) {
  const Variable x = widened(c, c[0]);
  const int64_t groups = c.integer("num_groups"), channels = x.ndim() >= 2 ? x.shape(1) : 0;
  if (groups <= 0 || channels % groups)
    c.fail("num_groups ", groups, " does not divide the channels of shape ", x.shape());
  const Variable grouped = F::reshape(x, {x.shape(0), groups, -1});
  Variable y = standardize(grouped, 2, c.real("epsilon", 1e-5)).y;
  if (c[1].size() == groups && c.opset() < 21) {  // one number per group, before operator set 21
    y = cast_to(y, c.dtype()) * of_channels(c[1], 3) + of_channels(c[2], 3);
    return {F::reshape(y, x.shape())};
  }
  y = cast_to(F::reshape(y, x.shape()), c.dtype());
  return {y * of_channels(c[1], x.ndim()) + of_channels(c[2], x.ndim())};
}

Variables lp_normalization(const Call& c) {
  const Variable& x = c[0];
  const int axis = c.axis(c.integer("axis", -1), x.ndim());
  const int64_t p = c.integer("p", 2);
  const Variable n =
      p == 1 ? F::sum(F::absolute(x), axis, {.keepdims = true}) : F::sqrt(F::sum(x * x, axis, {.keepdims = true}));
  const Variable zero(zeros_like(n.array()), false), one(ones_like(n.array()), false);
  const Variable none(n.array() == 0, false);  // vectors of zeros stay zero
  return {F::where(none, zero, x / F::where(none, one, n))};
}

Variables mean_variance_normalization(const Call& c) {
  const Variable& x = c[0];
  Dims axes;
  for (const int64_t a : c.integers("axes", std::vector<int64_t>{0, 2, 3})) axes.push_back(c.axis(a, x.ndim()));
  const Variable centred = x - F::average(x, axes, {.keepdims = true});
  return {centred / (F::sqrt(F::average(centred * centred, axes, {.keepdims = true})) + 1e-9)};
}

Variables lrn(const Call& c) {
  const int64_t size = c.integer("size");
  if (size <= 0 || size % 2 == 0) c.fail("size must be positive and odd, not ", size);
  return {F::local_response_normalization(c[0], {.n = size,
                                                 .k = c.real("bias", 1.0),
                                                 .alpha = c.real("alpha", 1e-4) / static_cast<double>(size),
                                                 .beta = c.real("beta", 0.75)})};
}

// In training uses the library's dropout, or NumPy's random numbers if the model is in training mode and has a seed.
Variables dropout(const Call& c) {
  const Variable& x = c[0];
  const double ratio = c.has(1) ? c[1].item<double>() : c.real("ratio", 0.5);
  const bool told = c.has(2) && c[2].item<bool>();
  if ((!told && !config().train) || ratio == 0) return {x, Variable(ones(x.shape(), bool_), false)};
  if (ratio < 0 || ratio >= 1) c.fail("ratio must be in [0, 1), not ", ratio);
  random::RandomState seeded(static_cast<uint32_t>(c.integer("seed", 0)));
  const Array draws = told && c.contains("seed") ? seeded.rand(x.shape()) : random::rand(x.shape());
  const Array kept = draws >= ratio;
  return {x * Variable(kept.astype(x.dtype()) * (1 / (1 - ratio)), false), Variable(kept, false)};
}

constexpr Operator kOperators[] = {
    {"BatchNormalization", 7, batch_normalization, 2 | 4, 8 | 16},
    {"Dropout", 7, dropout},
    {"GroupNormalization", 18, group_normalization, 2 | 4},
    {"InstanceNormalization", 6, instance_normalization, 2 | 4},
    {"LRN", 1, lrn},
    {"LayerNormalization", 17, layer_normalization, 2 | 4},
    {"LpNormalization", 1, lp_normalization},
    {"MeanVarianceNormalization", 9, mean_variance_normalization},
    {"RMSNormalization", 23, rms_normalization, 2},
};

}  // namespace

std::span<const Operator> normalization_operators() { return kOperators; }

}  // namespace chainer::onnx
