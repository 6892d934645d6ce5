// SPDX-License-Identifier: MIT
#include "chainer/inference/quantize_weights.h"

#include <cmath>
#include <typeinfo>

#include "chainer/links/quantized_weight.h"
#include "chainer/links/wrapped_links.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/reduction.h"

namespace chainer::inference {
namespace {

int64_t bytes(const Array& a) { return a.size() * item_size(a.dtype()); }
double squares(const Array& a) { return sum(a * a).item<double>(); }

// Returns true if the weight of a link of class L will be replaced. Throws if that is impossible.
template <class L>
bool takes(const std::string& path, L& link, const QuantizeWeightsOptions& o) {
  if (link.quantized() || !link.W.is_initialized() || link.W.array().size() < o.least_size) return false;
  if (const std::string why = links::why_not_quantized(link, link.W, link.quantized()); !why.empty())
    throw RuntimeError("quantize_weights: ", path, ": ", why);
  const double largest = max(absolute(link.W.array())).template item<double>();
  if (!std::isfinite(largest))
    throw ValueError("quantize_weights: ", path, ": ", link.class_name(), ": a weight is ", largest,
                     ", expected finite numbers");
  return true;
}

template <class L>
QuantizedWeight quantize(const std::string& path, L& link, const QuantizeWeightsOptions& o) {
  const Array before = link.W.array().to_device(Device()).astype(float32, false);
  const int64_t size = bytes(link.W.array());
  link.quantize({.bits = o.bits, .group = o.group, .search = o.search});
  const QuantizedMatrix& q = link.quantized();
  const double all = squares(before);
  const double error = all > 0 ? std::sqrt(squares(host_kernels::to_float(q.on_host()) - before) / all) : 0;
  return {path, size, bytes(q.values) + bytes(q.scales), error};
}

// Calls f with the link as L::Linear or L::EmbedID; false for others. (Classes derived from these may read W.)
template <class F>
bool as_its_class(Link& link, F f) {
  if (typeid(link) == typeid(links::Linear)) return f(static_cast<links::Linear&>(link));
  if (typeid(link) == typeid(links::EmbedID)) return f(static_cast<links::EmbedID&>(link));
  return false;
}

}  // namespace

std::vector<QuantizedWeight> quantize_weights(Link& model, const QuantizeWeightsOptions& o) {
  if (o.bits != 4 && o.bits != 8) throw ValueError("quantize_weights: weights have 4 or 8 bits, not ", o.bits);
  if (o.group < 8 || o.group % 8)
    throw ValueError("quantize_weights: a group has a positive multiple of 8 elements, not ", o.group);
  std::vector<std::pair<std::string, Link*>> chosen;
  for (const auto& [path, link] : links_and_wrapped(model))
    if ((!o.takes || o.takes(path)) && as_its_class(*link, [&](auto& l) { return takes(path, l, o); }))
      chosen.emplace_back(path, link);
  std::vector<QuantizedWeight> out;
  for (const auto& [path, link] : chosen)
    as_its_class(*link, [&](auto& l) { return out.push_back(quantize(path, l, o)), true; });
  return out;
}

}  // namespace chainer::inference
