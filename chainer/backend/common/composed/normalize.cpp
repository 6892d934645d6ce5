// SPDX-License-Identifier: MIT
// Composed forms of softmax and of the parts of normalizations.
#include <algorithm>

#include "chainer/array/operations/batch_factors.h"
#include "chainer/array/operations/ops.h"
#include "chainer/backend/common/composed/steps.h"

namespace chainer {

using namespace composed;

void Backend::softmax(bool log, const Array& a, int64_t outer, int64_t n, int64_t inner, Array& out) {
  const Array x = a.reshape({outer, n, inner}).astype(compute_dtype(a.dtype()), false);
  const Array distance = subtract(x, reduced(Reduce::max, x, {1})), e = unary(Elementwise::exp, distance);
  const Array total = reduced(Reduce::sum, e, {1});
  const Array y =
      log ? subtract(distance, unary(Elementwise::log, total)) : computed(Elementwise::divide, {e, total}, e.dtype());
  copy_elements(y.reshape(out.shape()), out);
}

void Backend::standardize(const Array& x, double eps, Array& y, Array& rstd) {
  const Array wide = x.astype(float64), share = number(1 / static_cast<double>(x.shape()[1]), wide);
  const Array centered = subtract(wide, multiply(reduced(Reduce::sum, wide, {1}), share));
  const Array variance = multiply(reduced(Reduce::sum, multiply(centered, centered), {1}), share);
  const Array factor = unary(Elementwise::rsqrt, add(variance, number(eps, variance)));
  copy_elements(factor.reshape(rstd.shape()), rstd);
  copy_elements(multiply(centered, factor), y);
}

void Backend::standardize_grad(const Array& gy, const Array& y, const Array& rstd, Array& gx) {
  const Array g = gy.astype(float64), wide = y.astype(float64),
              share = number(1 / static_cast<double>(y.shape()[1]), g);
  const Array mean = multiply(reduced(Reduce::sum, g, {1}), share);
  const Array along = multiply(reduced(Reduce::sum, multiply(g, wide), {1}), share);
  const Array rest = subtract(subtract(g, mean), multiply(wide, along));
  copy_elements(multiply(rest, rstd.reshape({y.shape()[0], 1})), gx);
}

namespace {
// Returns an array over keys that broadcasts to (outer, keys, inner).
Array by_key(const Array& a) { return a.reshape({1, a.size(), 1}); }
}  // namespace

void Backend::moments(const Array& x, Array& mean, Array& squares) {
  const Array wide = x.astype(float64), count = number(static_cast<double>(x.shape()[0] * x.shape()[2]), wide);
  const Array average = computed(Elementwise::divide, {reduced(Reduce::sum, wide, {0, 2}), count}, float64);
  const Array centered = subtract(wide, average);
  copy_elements(average.reshape(mean.shape()), mean);
  copy_elements(reduced(Reduce::sum, multiply(centered, centered), {0, 2}).reshape(squares.shape()), squares);
}

void Backend::moments_grad(const Array& gy, const Array& x, const Array& mean, Array& total, Array& along) {
  const Array g = gy.astype(float64), centered = subtract(x.astype(float64), by_key(mean));
  copy_elements(reduced(Reduce::sum, g, {0, 2}).reshape(total.shape()), total);
  copy_elements(reduced(Reduce::sum, multiply(g, centered), {0, 2}).reshape(along.shape()), along);
}

void Backend::centered_combination(const Array& gy, const Array& x, const Array& mean, const Array& a, const Array& b,
                                   const Array& c, Array& gx) {
  const Array g = gy.astype(float64), centered = subtract(x.astype(float64), by_key(mean));
  const Array first = multiply(by_key(a), subtract(g, by_key(b)));
  copy_elements(subtract(first, multiply(by_key(c), centered)), gx);
}

namespace {
// r = decay r + (1 - decay) v
void blend(Array& running, double decay, const Array& v) {
  running *= decay;
  running += multiply(v, number(1 - decay, v)).astype(running.dtype()).reshape(running.shape());
}
}  // namespace

void Backend::batch_factors(BatchFactors& f) {
  const double count = static_cast<double>(f.x.shape()[0] * f.x.shape()[2]);
  Array squares(f.average.shape(), float64, f.x.device());
  moments(f.x, f.average, squares);
  const Array variance = computed(Elementwise::divide, {squares, number(count, squares)}, float64);
  const Array deviation = unary(Elementwise::sqrt, add(variance, number(f.eps, variance)));
  copy_elements(unary(Elementwise::reciprocal, deviation), f.rstd);
  copy_elements(multiply(f.gamma.astype(float64), f.rstd), f.scale);
  if (!f.running_mean) return;
  blend(f.running_mean, f.decay, f.average);
  blend(f.running_var, f.decay, multiply(variance, number(count / std::max(count - 1, 1.0), variance)));
}

void Backend::batch_gradients(const Array& gy, const Array& x, const Array& average, const Array& rstd,
                              const Array& gamma, Array& gx, Array& ggamma, Array& gbeta) {
  Array total(average.shape(), float64, x.device()), along(average.shape(), float64, x.device());
  moments_grad(gy, x, average, total, along);
  const Array share = number(1 / static_cast<double>(x.shape()[0] * x.shape()[2]), rstd);
  const Array slope = multiply(gamma.astype(float64), rstd);
  const Array curve = multiply(multiply(multiply(multiply(slope, rstd), rstd), along), share);
  centered_combination(gy, x, average, slope, multiply(total, share), curve, gx);
  copy_elements(multiply(along, rstd), ggamma);
  copy_elements(total, gbeta);
}

}  // namespace chainer
