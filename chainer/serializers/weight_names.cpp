// SPDX-License-Identifier: MIT
#include "chainer/serializers/weight_names.h"

#include <algorithm>
#include <cstdlib>

#include "chainer/links/links.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/manipulation.h"

namespace chainer::serializers {
namespace {

using Sources = std::vector<Array>;
using Rows = std::vector<WeightRow>;

// PyTorch and Keras store gates as blocks of rows: i, f, g, o. F::lstm interleaves a (their g), i, f, o for each unit.
Array lstm_rows(const Array& blocks) {
  const int64_t rows = blocks.shape(0);
  if (rows % 4 != 0) throw DimensionError("the number of rows must be a multiple of 4 (gates), not ", rows);
  Arrays gates;
  for (int64_t gate : {2, 0, 1, 3}) gates.push_back(blocks[Slice(gate * rows / 4, (gate + 1) * rows / 4)]);
  return stack(gates, 1).reshape(blocks.shape());
}
Array transposed(const Array& kernel) {
  if (kernel.ndim() != 2) throw DimensionError("expected a matrix, got shape ", kernel.shape());
  return kernel.T();
}
// Transposes (k..., a, b) to (b, a, k...).
Array channels_first(const Array& kernel) {
  const int n = kernel.ndim();
  if (n < 3)
    throw DimensionError("expected a kernel with spatial axes and two channel axes, got shape ", kernel.shape());
  Dims order = {n - 1, n - 2};
  for (int i = 0; i < n - 2; ++i) order.push_back(i);
  return kernel.transpose(order);
}
Array first(const Sources& s) { return s[0]; }

// Each child is one direction of a layer. Its w0, w1, ... (first those of the input, then those of the state) are
// blocks of rows in PyTorch's weights, in the same order.
Rows n_step_rows(const WeightLayer& layer) {
  Rows rows;
  const int64_t directions = layer.children / std::max<int64_t>(layer.layers, 1), gates = layer.gates;
  for (int64_t child = 0; child < layer.children; ++child) {
    const std::string end = text("_l", child / directions, child % directions ? "_reverse" : "");
    for (int64_t i = 0; i < 2 * gates; ++i) {
      const auto part = [gate = i % gates, gates](const Sources& s) {
        const int64_t n = s[0].shape(0);
        if (n % gates != 0)
          throw DimensionError("the number of rows must be a multiple of ", gates, " (gates), not ", n);
        return s[0][Slice(gate * n / gates, (gate + 1) * n / gates)];
      };
      const std::string from = i < gates ? "_ih" : "_hh";
      rows.push_back({text(child, "/w", i), {"weight" + from + end}, part});
      rows.push_back({text(child, "/b", i), {"bias" + from + end}, part});
    }
  }
  return rows;
}

WeightLayer layer_of(const Link& link) {
  using Kind = WeightLayer::Kind;
  if (const auto* foreign = dynamic_cast<const ForeignLayer*>(&link)) return foreign->weight_layer();
  if (dynamic_cast<const links::Linear*>(&link)) return {Kind::linear};
  if (dynamic_cast<const links::ConvolutionND*>(&link)) return {Kind::convolution};
  if (dynamic_cast<const links::DeconvolutionND*>(&link)) return {Kind::deconvolution};
  if (dynamic_cast<const links::EmbedID*>(&link)) return {Kind::embedding};
  if (dynamic_cast<const links::LayerNormalization*>(&link)) return {Kind::normalization};
  if (dynamic_cast<const links::GroupNormalization*>(&link)) return {Kind::normalization};
  if (dynamic_cast<const links::BatchNormalization*>(&link)) return {Kind::batch_normalization};
  if (dynamic_cast<const links::LSTMBase*>(&link)) return {Kind::lstm};
  if (const auto* steps = dynamic_cast<const links::NStepRNNBase*>(&link)) {
    const auto children = static_cast<int64_t>(steps->size());
    return {Kind::n_step, steps->n_layers(), children,
            children ? static_cast<int64_t>((*steps)[0].params().size() / 4) : 0};
  }
  return {};
}

Rows pytorch_rows(const WeightLayer& layer) {
  using Kind = WeightLayer::Kind;
  switch (layer.kind) {
    case Kind::none: return {};
    case Kind::linear:
    case Kind::convolution:
    case Kind::deconvolution: return {{"W", {"weight"}}, {"b", {"bias"}}};
    case Kind::embedding: return {{"W", {"weight"}}};
    case Kind::normalization: return {{"gamma", {"weight"}}, {"beta", {"bias"}}};
    case Kind::batch_normalization:
      return {{"gamma", {"weight"}}, {"beta", {"bias"}}, {"avg_mean", {"running_mean"}}, {"avg_var", {"running_var"}}};
    case Kind::lstm:
      return {
          {"upward/W", {"weight_ih_l0"}, [](const Sources& s) { return lstm_rows(s[0]); }},
          {"upward/b", {"bias_ih_l0", "bias_hh_l0"}, [](const Sources& s) { return lstm_rows(s[0] + s[1]); }},
          {"lateral/W", {"weight_hh_l0"}, [](const Sources& s) { return lstm_rows(s[0]); }},
      };
    case Kind::n_step: return n_step_rows(layer);
  }
  return {};
}

Rows keras_rows(const WeightLayer& layer) {
  using Kind = WeightLayer::Kind;
  const auto matrix = [](const Sources& s) { return transposed(s[0]); };
  const auto filters = [](const Sources& s) { return channels_first(s[0]); };
  switch (layer.kind) {
    case Kind::none:
    case Kind::n_step: return {};
    case Kind::linear: return {{"W", {"kernel"}, matrix}, {"b", {"bias"}}};
    case Kind::convolution:
    case Kind::deconvolution: return {{"W", {"kernel"}, filters}, {"b", {"bias"}}};
    case Kind::embedding: return {{"W", {"embeddings"}}};
    case Kind::normalization: return {{"gamma", {"gamma"}}, {"beta", {"beta"}}};
    case Kind::batch_normalization:
      return {
          {"gamma", {"gamma"}}, {"beta", {"beta"}}, {"avg_mean", {"moving_mean"}}, {"avg_var", {"moving_variance"}}};
    case Kind::lstm:
      return {
          {"upward/W", {"kernel"}, [](const Sources& s) { return lstm_rows(transposed(s[0])); }},
          {"upward/b", {"bias"}, [](const Sources& s) { return lstm_rows(s[0]); }},
          {"lateral/W", {"recurrent_kernel"}, [](const Sources& s) { return lstm_rows(transposed(s[0])); }},
      };
  }
  return {};
}

}  // namespace

std::vector<WeightRow> weight_rows(const Link& link, WeightNames from) {
  const WeightLayer layer = from == WeightNames::own ? WeightLayer() : layer_of(link);
  Rows rows = from == WeightNames::pytorch ? pytorch_rows(layer)
              : from == WeightNames::keras ? keras_rows(layer)
                                           : Rows();
  for (WeightRow& row : rows)
    if (!row.convert) row.convert = first;
  return rows;
}

bool is_bookkeeping(const std::string& name, WeightNames from) {
  return from == WeightNames::pytorch && (name == "num_batches_tracked" || name.ends_with(".num_batches_tracked"));
}

}  // namespace chainer::serializers
