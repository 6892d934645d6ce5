// SPDX-License-Identifier: MIT
#include "chainer/links/quantized_weight.h"

#include "chainer/links/parameter_hooks.h"

namespace chainer::links {

std::string why_not_quantized(const Link& link, const chainer::Parameter& W, const QuantizedMatrix& already) {
  const std::string name = link.class_name();
  if (already) return text(name, ": the weight has ", already.bits, " bits already");
  if (!W.is_initialized()) return name + ": the size of W is unknown before the first call";
  for (const auto& [hook_name, hook] : link.local_link_hooks())
    if (const auto* h = dynamic_cast<const link_hooks::ParameterHook*>(hook.get()); h && !h->allows_quantized(link))
      return text(name, ": the hook ", hook_name, " computes with W; delete it before W is quantized");
  return {};
}

QuantizedMatrix quantized_weight(const Link& link, chainer::Parameter& W, const QuantizedMatrix& already,
                                 const QuantizeOptions& o) {
  static constexpr QuantizedFunctions own{functions::quantized_linear, functions::quantized_rows};
  quantized_functions.store(&own, std::memory_order_release);
  if (const std::string why = why_not_quantized(link, W, already); !why.empty()) throw RuntimeError(why);
  const Array w = W.array();
  QuantizedMatrix q =
      host_kernels::quantized_matrix(w.to_device(Device()), o.bits, o.group, o.search, link.class_name().c_str());
  q.dtype = w.dtype();
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
