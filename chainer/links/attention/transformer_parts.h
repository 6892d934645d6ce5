// SPDX-License-Identifier: MIT
// Shared by the layers of transformers.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "chainer/functions/math.h"
#include "chainer/functions/noise.h"
#include "chainer/links/attention.h"

namespace chainer::links {

/// Adds a part of a layer, with dropout, to x; normalizes x before it, or the sum.
template <class Part>
Variable connected(const Variable& x, LayerNormalization& norm, bool norm_first, double dropout, const Part& part) {
  if (norm_first) return x + functions::dropout(part(norm(x, 2)), dropout);
  return norm(x + functions::dropout(part(x), dropout), 2);
}

inline const std::function<Variable(const Variable&)>& checked_activation(const TransformerLayerOptions& o) {
  if (!o.activation) throw ValueError("transformer: the activation is an empty function");
  return o.activation;
}

/// Returns the layers of a stack, each with weights of its own, and its last normalization.
template <class Stack, class Layer>
void make_layers(Stack& stack, std::vector<std::shared_ptr<Layer>>& layers, int64_t n, int64_t size, int64_t heads,
                 const TransformerLayerOptions& layer, const TransformerOptions& o) {
  if (n < 0) throw ValueError("transformer: the number of layers must not be negative, got ", n);
  for (int64_t i = 0; i < n; ++i) layers.push_back(std::make_shared<Layer>(size, heads, layer));
  if (o.norm.value_or(layer.norm_first))
    stack.norm = std::make_shared<LayerNormalization>(size, LayerNormalizationOptions{.eps = layer.eps});
}

/// Returns a pointer to a layer's cache in a list that gets one for each of `n` layers, or null without a list.
inline AttentionCache* cache_of(std::vector<AttentionCache>* caches, std::size_t layer, std::size_t n) {
  if (!caches) return nullptr;
  if (caches->empty()) caches->resize(n);
  if (caches->size() != n)
    throw ValueError("transformer: expected ", n, " caches, one for each layer, got ", caches->size());
  return &(*caches)[layer];
}

/// Returns the caches of a context's list, one for each of `n` layers.
inline std::vector<AttentionCache*> all_of(std::vector<AttentionCache>* caches, std::size_t n) {
  std::vector<AttentionCache*> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(cache_of(caches, i, n));
  return out;
}

/// Calls f. If it throws, the caches (or null) get their lengths from before.
template <class F>
Variable keeping_lengths(const std::vector<AttentionCache*>& caches, const F& f) {
  std::vector<int64_t> lengths;
  for (const AttentionCache* c : caches) lengths.push_back(c ? c->length() : 0);
  try {
    return f();
  } catch (...) {
    for (std::size_t i = 0; i < caches.size(); ++i)
      if (caches[i]) caches[i]->truncate(std::min(lengths[i], caches[i]->length()));
    throw;
  }
}

}  // namespace chainer::links
