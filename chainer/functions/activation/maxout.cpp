// SPDX-License-Identifier: MIT
#include "chainer/array/host_kernels/maxout.h"

#include "chainer/array/host_kernels/normalize.h"
#include "chainer/array/recording/step.h"
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {
namespace {

struct MaxoutNode : FunctionNode {
  MaxoutNode(int a, Shape s, const host_kernels::MaxoutPools& p) : axis(a), split(std::move(s)), pools(p) {}
  std::string label() const override { return "Maxout"; }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    retain_outputs({0});
    Shape s = x[0].shape();
    s[axis] /= pools.k;
    Array y(s, x[0].dtype());
    recording::step(
        "maxout", {x.data(), 1}, {&y, 1},
        [p = pools](std::span<const Array> in, std::span<Array> out) { host_kernels::maxout(p, in[0], out[0]); }, true);
    return {y};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Array x = input_data()[0], y = output_data()[0];
    if (config().enable_backprop) {
      Shape kept = split;
      kept[axis + 1] = 1;
      const Array selected = equal(x.reshape(split), y.reshape(kept)).astype(x.dtype());
      const Variable g = broadcast_to(reshape(gy[0], kept), split) * Variable(selected, false);
      return {reshape(g, x.shape())};
    }
    const Array in[] = {x, y, gy[0].array().contiguous()};
    Array gx(x.shape(), x.dtype());
    recording::step(
        "maxout_grad", in, {&gx, 1},
        [p = pools](std::span<const Array> i, std::span<Array> out) {
          host_kernels::maxout_grad(p, i[0], i[1], i[2], out[0]);
        },
        true);
    return {Variable(gx, false)};
  }
  int axis;
  Shape split;
  host_kernels::MaxoutPools pools;
};

}  // namespace

Variable Maxout::operator()(const Variable& x, int64_t pool_size, int64_t axis) const {
  if (pool_size <= 0) throw ValueError("maxout: pool_size must be a positive integer, not ", pool_size);
  const int d = normalize_axis(axis, x.ndim(), "maxout");
  if (x.shape()[d] % pool_size != 0)
    throw InvalidType("x.shape()[axis] % pool_size == 0",
                      text("x.shape()[axis]=", x.shape()[d], ", pool_size=", pool_size),
                      "axis dimension must be divided by pool_size");
  Shape s = x.shape();
  s[d] /= pool_size;
  s.insert(d + 1, pool_size);
  if (CompositeRecorder::current || x.size() == 0 || !host_kernels::takes_rows(x.array()))
    return max(reshape(x, s), d + 1);
  int64_t inner = 1;
  for (int i = d + 1; i < x.ndim(); ++i) inner *= x.shape()[i];
  return apply_single(MaxoutNode(d, s, {x.size() / pool_size / inner, pool_size, inner}), x);
}

}  // namespace chainer::functions
