// SPDX-License-Identifier: MIT
#include "chainer/autograd/mixed_precision.h"

namespace chainer {

bool cast_for_mixed_precision(MixedPrecision policy, Dtype narrow, const Variable* const* inputs, std::size_t count,
                              Variables& out) {
  if (policy == MixedPrecision::any_mix) return false;
  std::optional<Dtype> first;
  bool differ = false;
  for (std::size_t i = 0; i < count; ++i) {
    if (!*inputs[i]) continue;
    const Dtype d = inputs[i]->dtype();
    if (!is_floating(d)) continue;
    if (d == float64) return false;
    differ |= first && d != *first;
    first = first.value_or(d);
  }
  if (!first) return false;
  const bool weight = policy == MixedPrecision::narrow_weight;
  const Dtype wanted = policy == MixedPrecision::narrow || weight ? narrow
                       : policy == MixedPrecision::wide || differ ? float32
                                                                  : *first;
  if (!differ && *first == wanted) return false;
  out.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const Variable& v = *inputs[i];
    const bool stays =
        !v || !is_floating(v.dtype()) || v.dtype() == wanted || (weight && i == 1 && v.dtype() == float32);
    out.push_back(stays ? v : cast_variable(v, wanted));
  }
  return true;
}

bool cast_in_mixed_precision(MixedPrecision policy, Variables& inputs) {
  const std::optional<Dtype>& narrow = config().dtype.get().products;
  if (!narrow) return false;
  SmallVector<const Variable*, 8> pointers;
  for (const Variable& v : inputs) pointers.push_back(&v);
  Variables out;
  if (!cast_for_mixed_precision(policy, *narrow, pointers.data(), pointers.size(), out)) return false;
  inputs = std::move(out);
  return true;
}

PlainPrecision::PlainPrecision() {
  const DefaultDtype& d = config().dtype.get();
  if (d.products) plain_.emplace(&Config::dtype, DefaultDtype(d.parameters));
}

}  // namespace chainer
