// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/loss.h"
#include "chainer/functions/loss/labels_and_samples.h"
#include "chainer/functions/loss/rows_dot.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {
namespace {

void check(const void*, const type_check::TypeInfos& in) {
  using type_check::expect;
  in.names({"x", "t", "W"});
  expect(in[0].dtype().kind() == 'f', in[0].ndim() == 2, in[1].dtype().kind() == 'i', in[1].ndim() == 1);
  expect(in[0].shape(0) == in[1].shape(0), in[2].dtype() == in[0].dtype(), in[2].ndim() == 2);
  expect(in[2].shape(1) == in[0].shape(1));
}

}  // namespace

Variable NegativeSampling::operator()(const Variable& x, const Variable& t, const Variable& W,
                                      const std::function<Array(const Shape&)>& sampler, int64_t sample_size,
                                      const NegativeSamplingOptions& options) const {
  if (are_narrow(x, W)) return (*this)(widened(x), t, widened(W), sampler, sample_size, options);
  if (options.reduce != Reduction::sum && options.reduce != Reduction::no)
    throw ValueError("negative_sampling: only 'sum' and 'no' are valid for 'reduce'");
  if (sample_size < 0) throw ValueError("negative_sampling: sample_size must not be negative, got ", sample_size);
  if (config().type_check)
    type_check::run("NegativeSamplingFunction", {x.array(), t.array(), W.array()}, check, nullptr);
  const Shape shape = {t.shape()[0], sample_size + 1};
  const Array samples = sampler(shape);
  if (samples.shape() != shape || is_floating(samples.dtype()))
    throw ValueError("negative_sampling: the sampler must return integers of shape ", shape, ", got ", samples.dtype(),
                     " of shape ", samples.shape());
  bool ignored = false;
  const Array index =
      labels_and_samples(t.array(), samples[{Slice(), Slice(1, std::nullopt)}], W.shape()[0], name, &ignored);
  Array sign = ones({sample_size + 1}, x.dtype(), x.device());
  sign.set(0, -1);
  const Variable losses = softplus(rows_dot(x, W, index) * sign);
  if (!ignored && options.reduce == Reduction::sum) return sum(losses);
  Variable loss = sum(losses, 1);
  if (ignored) loss = loss * not_equal(t.array(), -1).astype(x.dtype());
  return options.reduce == Reduction::sum ? sum(loss) : loss;
}

}  // namespace chainer::functions
