// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "chainer/array/host.h"
#include "chainer/array/host_kernels/rotate_pairs.h"
#include "chainer/array/host_kernels/normalize.h"
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/array/backend.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::functions {
namespace {

// In functions on variables: for exports and arrays that the host's loop does not take.
Variable composed(const Variable& x, const Array& cosine, const Array& sine, bool interleaved) {
  const int64_t pairs = cosine.shape(-1), size = x.shape()[x.ndim() - 1];
  const auto along = [&](const Slice& s) { return get_item(x, {ellipsis, s}); };
  const Variable a = along(interleaved ? Slice(0, 2 * pairs, 2) : Slice(0, pairs));
  const Variable b = along(interleaved ? Slice(1, 2 * pairs, 2) : Slice(pairs, 2 * pairs));
  const Variable c(cosine, false), s(sine, false);
  Variables parts{a * c - b * s, b * c + a * s};
  if (interleaved) {
    Shape joined = x.shape();
    joined[x.ndim() - 1] = 2 * pairs;
    parts = {reshape(stack(parts, x.ndim()), joined)};
  }
  if (2 * pairs < size) parts.push_back(along(Slice(2 * pairs, size)));
  return concat(parts, -1);
}

bool broadcasts_to(const Shape& from, const Shape& to) {
  for (int i = 0; i < from.ndim(); ++i)
    if (const int64_t n = from[from.ndim() - 1 - i]; i >= to.ndim() || (n != 1 && n != to[to.ndim() - 1 - i]))
      return false;
  return true;
}

// Rotates by the angles, or by their opposite, which is the gradient.
struct RotaryNode : FunctionNode {
  RotaryNode(Array c, Array s, bool i, bool b)
      : cosine(std::move(c)), sine(std::move(s)), interleaved(i), backwards(b) {}
  std::string label() const override { return "RotaryEmbedding"; }
  Arrays forward(const Arrays& x) override {
    const Array wide = dense(x[0], cosine.dtype());
    return {host_kernels::rotate_pairs(wide, cosine, sine, interleaved, backwards).astype(x[0].dtype(), false)};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {apply_single(RotaryNode(cosine, sine, interleaved, !backwards), gy[0])};
  }
  Array cosine, sine;
  bool interleaved, backwards;
};

}  // namespace

Variable RotaryEmbedding::operator()(const Variable& x, const RotaryEmbeddingOptions& o) const {
  type_check::check(name.data(), {x.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x"});
    type_check::expect_floating(in[0]);
    type_check::expect(in[0].ndim() >= 2);
  });
  const int64_t last = x.shape()[x.ndim() - 1], size = o.size ? o.size : last;
  if (size < 0 || size > last || size % 2)
    throw ValueError("rotary_embedding: size must be even and at most ", last, ", the last axis of x, not ", size);
  if (!(o.base > 0)) throw ValueError("rotary_embedding: base must be positive, not ", o.base);
  Array positions = o.positions;
  if (!positions) positions = arange(x.shape()[x.ndim() - 2]);
  if (kind(positions.dtype()) != 'i')
    throw TypeError("rotary_embedding: positions must be integers, not ", positions.dtype());
  const Shape rows(x.shape().begin(), x.shape().end() - 1);
  if (!broadcasts_to(positions.shape(), rows))
    throw DimensionError("rotary_embedding: positions of shape ", positions.shape(), " do not broadcast to ", rows,
                         ", the axes of x before the last");
  // In float64: angles of late positions have many digits before the point.
  const Array frequency = chainer::exp(arange(size / 2).astype(float64) *
                                       (-2 * std::log(o.base) / static_cast<double>(std::max<int64_t>(size, 1))));
  Shape column = positions.shape();
  column.push_back(1);
  const Array angle = positions.to_device(x.device()).astype(float64).reshape(column) * frequency.to_device(x.device());
  const Dtype wide = compute_dtype(x.dtype());
  const auto table = [&](const Array& a, Dtype d) { return a.astype(d); };
  const bool host = !CompositeRecorder::current && x.device().is_host() && x.size();
  const Array cosine = table(chainer::cos(angle), host ? wide : x.dtype());
  const Array sine = table(chainer::sin(angle), host ? wide : x.dtype());
  if (!host) return composed(x, cosine, sine, o.interleaved);
  return apply_single(RotaryNode(cosine, sine, o.interleaved, false), x);
}

}  // namespace chainer::functions
