// SPDX-License-Identifier: MIT
#include "chainer/routines/kernel.h"

#include <algorithm>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::detail {
namespace {

// Operands broadcast to one shape, with their promoted dtype.
struct Prepared {
  Arrays in;
  Shape shape;
  Dtype common;
  std::array<const Array*, kMostOperands> pointers{};

  Prepared(const BlockFunction& f, std::span<const Array* const> operands, std::string_view name)
      : shape(operands[0]->shape()), common(operands[0]->dtype()) {
    for (const Array* a : operands) {
      shape = broadcast_shapes(shape, a->shape(), name);
      common = promote(common, a->dtype());
    }
    if (!f.loops[BlockFunction::index(common)]) throw DtypeError(name, ": the formula does not support ", common);
    for (const Array& a : on_one_device(name, operands)) in.push_back(broadcast_to(a, shape));
    for (std::size_t i = 0; i < in.size(); ++i) pointers[i] = &in[i];
  }
  Dtype computed() const { return compute_dtype(common); }
  Dtype result() const { return common == Dtype::bool_ ? int64 : common; }
  std::span<const Array* const> operands() const { return {pointers.data(), in.size()}; }
};

}  // namespace

Arrays run_kernel(const BlockFunction& f, std::span<const Array* const> operands, std::span<const bool> masks) {
  const Prepared p(f, operands, "elementwise");
  Arrays out;
  SmallVector<Array*, 8> pointers;
  for (bool mask : masks) out.push_back(Array(p.shape, mask ? Dtype::bool_ : p.result(), p.in[0].device()));
  for (Array& a : out) pointers.push_back(&a);
  out[0].device().backend().apply(f, p.operands(), {pointers.data(), pointers.size()}, p.computed());
  return out;
}

Array run_reduction(const BlockFunction& map, const BlockFold& fold, Scalar identity,
                    std::span<const Array* const> operands, const Axes& axes, bool keepdims) {
  Prepared p(map, operands, "reduce");
  const Dims reduced = axes.normalized(p.shape.ndim(), "reduce");
  Shape kept, result;
  Dims order, last;
  for (int d = 0; d < p.shape.ndim(); ++d) {
    const bool is_reduced = std::find(reduced.begin(), reduced.end(), d) != reduced.end();
    (is_reduced ? last : order).push_back(d);
    if (!is_reduced) kept.push_back(p.shape[d]);
    if (!is_reduced || keepdims) result.push_back(is_reduced ? 1 : p.shape[d]);
  }
  for (int64_t d : last) order.push_back(d);
  for (Array& a : p.in) a = a.transpose(order);
  Array out(kept, p.result(), p.in[0].device());
  if (p.shape.product() == 0)
    out.fill(identity);
  else
    out.device().backend().fold(map, fold, p.operands(), out, p.computed());
  return out.reshape(result);
}

}  // namespace chainer::detail
