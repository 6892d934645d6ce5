// SPDX-License-Identifier: MIT
#include "chainer/inference/quantize_weights.h"

#include <cmath>

#include "chainer/routines/arithmetic.h"
#include "chainer/routines/reduction.h"

namespace chainer::inference {
namespace {

int64_t bytes(const Array& a) { return a.size() * item_size(a.dtype()); }
double squares(const Array& a) { return sum(a * a).item<double>(); }

template <class L>
void quantize(const std::string& path, L& link, const QuantizeWeightsOptions& o, std::vector<QuantizedWeight>& out) {
  if (link.quantized() || !link.W.is_initialized() || link.W.array().size() < o.least_size) return;
  const Array before = link.W.array().to_device(Device()).astype(float32, false);
  const int64_t size = bytes(link.W.array());
  link.quantize({.bits = o.bits, .group = o.group, .search = o.search});
  const QuantizedMatrix& q = link.quantized();
  const double all = squares(before);
  const double error = all > 0 ? std::sqrt(squares(host_kernels::to_float(q.on_host()) - before) / all) : 0;
  out.push_back({path, size, bytes(q.values) + bytes(q.scales), error});
}

}  // namespace

std::vector<QuantizedWeight> quantize_weights(Link& model, const QuantizeWeightsOptions& o) {
  if (o.bits != 4 && o.bits != 8) throw ValueError("quantize_weights: weights have 4 or 8 bits, not ", o.bits);
  if (o.group < 8 || o.group % 8)
    throw ValueError("quantize_weights: a group has a positive multiple of 8 elements, not ", o.group);
  std::vector<QuantizedWeight> out;
  for (const auto& [path, link] : model.namedlinks()) {
    if (o.takes && !o.takes(path)) continue;
    if (auto* const linear = dynamic_cast<links::Linear*>(link))
      quantize(path, *linear, o, out);
    else if (auto* const ids = dynamic_cast<links::EmbedID*>(link))
      quantize(path, *ids, o, out);
  }
  return out;
}

}  // namespace chainer::inference
