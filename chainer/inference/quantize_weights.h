// SPDX-License-Identifier: MIT
// Weights in few bits, for products with few rows.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "chainer/core/other_options.h"
#include "chainer/links/links.h"

namespace chainer::inference {

/// Options of quantize_weights().
struct QuantizeWeightsOptions {
  int bits = 4;               ///< 4 or 8
  int64_t group = 64;         ///< elements of a row of W that share a scale
  bool search = true;         ///< as L::QuantizeOptions
  int64_t least_size = 1024;  ///< weights with fewer elements stay float32
  /// Returns false for the path of a link that stays as it is; by default all are taken.
  std::function<bool(const std::string& path)> takes = {};
};

/// A link that quantize_weights() has changed: its path, the bytes of its weight before and after, and the root of the
/// sum of squared errors of W divided by that of W's squares.
struct QuantizedWeight {
  std::string path;
  int64_t bytes_before, bytes_after;
  double error;
};

/// Replaces the weights of all L::Linear and L::EmbedID of a model, in place, by integers of 4 or 8 bits with a scale
/// for each group of a row (L::Linear::quantize). Activations stay floating. With few rows, as in the generation of
/// text, the time of a product is that of reading the weights, which then have 4.5 or 8.5 bits instead of 32. Returns
/// what was replaced; other weights, weights of links that were not called yet, and those of classes derived from
/// L::Linear and L::EmbedID stay.
///
/// To load a saved model, build it, call quantize_weights() with the same options, and load the file. Throws ValueError
/// for options out of range and weights that are not finite, RuntimeError for a weight that a hook computes with,
/// before the first weight is replaced.
///
///   L::Linear link(64, 32);
///   inference::quantize_weights(link, {.bits = 4}).size()  // 1
std::vector<QuantizedWeight> quantize_weights(Link& model, const QuantizeWeightsOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(quantize_weights, ".bits, .group, .search, .least_size, .takes", Link&);

}  // namespace chainer::inference
