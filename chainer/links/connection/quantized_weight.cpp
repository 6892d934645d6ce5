// SPDX-License-Identifier: MIT
#include "chainer/links/quantized_weight.h"

namespace chainer::links {

QuantizedMatrix quantized_weight(const char* link, chainer::Parameter& W, const QuantizedMatrix& already,
                                 const QuantizeOptions& o) {
  static constexpr QuantizedFunctions own{functions::quantized_linear, functions::quantized_rows};
  quantized_functions.store(&own, std::memory_order_release);
  if (already) throw RuntimeError(link, ": the weight has ", already.bits, " bits already");
  if (!W.is_initialized()) throw RuntimeError(link, ": the size of W is unknown before the first call");
  const Array w = W.array();
  QuantizedMatrix q = host_kernels::quantized_matrix(w.to_device(Device()), o.bits, o.group, o.search, link);
  q.values = q.values.to_device(w.device());
  q.scales = q.scales.to_device(w.device());
  W = chainer::Parameter();
  return q;
}

void visit_weight(MemberVisitor& v, chainer::Parameter& W, QuantizedMatrix& q) {
  if (!q) return v.param("W", W);
  v.persistent("W_values", q.values);
  v.persistent("W_scales", q.scales);
}

}  // namespace chainer::links
