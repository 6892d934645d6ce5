// SPDX-License-Identifier: MIT
#include "chainer/links/quantized_weight.h"

#include "chainer/links/parameter_hooks.h"

namespace chainer::links {

QuantizedMatrix quantized_weight(const Link& link, chainer::Parameter& W, const QuantizedMatrix& already,
                                 const QuantizeOptions& o) {
  static constexpr QuantizedFunctions own{functions::quantized_linear, functions::quantized_rows};
  quantized_functions.store(&own, std::memory_order_release);
  const std::string name = link.class_name();
  if (already) throw RuntimeError(name, ": the weight has ", already.bits, " bits already");
  if (!W.is_initialized()) throw RuntimeError(name, ": the size of W is unknown before the first call");
  for (const auto& [hook_name, hook] : link.local_link_hooks())
    if (const auto* h = dynamic_cast<const link_hooks::ParameterHook*>(hook.get()); h && !h->allows_quantized(link))
      throw RuntimeError(name, ": the hook ", hook_name, " computes with W; delete it before W is quantized");
  const Array w = W.array();
  QuantizedMatrix q = host_kernels::quantized_matrix(w.to_device(Device()), o.bits, o.group, o.search, name.c_str());
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
