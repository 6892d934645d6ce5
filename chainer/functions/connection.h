// SPDX-License-Identifier: MIT
// F: neural network connections (manual: "Neural network connections"). Convolutions are in convolution.h.
// Errors: the comments name what each function throws. See functions.h for what all functions share.
#pragma once
#include <concepts>
#include <optional>

#include "chainer/autograd/variable.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace functions {

/// Options of embed_id().
struct EmbedIdOptions {
  std::optional<int64_t> ignore_label = {};  ///< an id that gives a row of zeros and no gradient
};
/// Returns the rows of W (vocabulary, size) named by the integers of x: shape x.shape + (size). Throws InvalidType
/// unless x is integer and W a floating matrix, IndexError for an id that is not in 0 ... vocabulary - 1 and not
/// ignore_label.
///   F::embed_id(array({1, 0}), array({{1.f, 2.f}, {3.f, 4.f}}))  // [[3, 4], [1, 2]]
inline constexpr struct EmbedId {
  static constexpr std::string_view name = "embed_id";
  Variable operator()(const Variable& x, const Variable& W, const EmbedIdOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(embed_id, ".ignore_label", const Variable&, const Variable&);
} embed_id{};

/// Options of linear().
struct LinearOptions {
  int64_t n_batch_axes = 1;  ///< leading axes kept as they are; the others are flattened
};
/// Computes x W^T + b, with x (N, in), or more axes that are flattened to it, W (out, in), b (out) or none: (N, out).
/// With n_batch_axes = k the first k axes of x are kept: (d1, ..., dk, out). If floating dtypes differ, the product is
/// computed in the widest and returned in that of x. Throws InvalidType if shapes do not match or dtypes are not
/// floating, ValueError if n_batch_axes < 1, DimensionError if x has fewer axes than n_batch_axes, or if only the last
/// axis of x matches W.
/// F::linear(x, W, b, 2) is short for {.n_batch_axes = 2}, as the link's linear(x, 2).
///   F::linear(array({{1.f, 2.f}}), array({{3.f, 4.f}}), array({1.f}))  // [[12]]
inline constexpr struct Linear {
  static constexpr std::string_view name = "linear";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const LinearOptions& options = {}) const;
  // A template, so that {} remains the options.
  template <std::integral T>
  Variable operator()(const Variable& x, const Variable& W, const Variable& b, T n_batch_axes) const {
    return (*this)(x, W, b, LinearOptions{static_cast<int64_t>(n_batch_axes)});
  }
  CHAINER_OTHER_OPTIONS_CALL(linear, ".n_batch_axes", const Variable&, const Variable&, const Variable&);
} linear{};

/// Computes y_l = sum over j, k of e1_j e2_k W_jkl for each row of e1 (N, J) and e2 (N, K), plus e1 V1 + e2 V2 + b if
/// these are given: (N, L), with W (J, K, L), V1 (J, L), V2 (K, L), b (L). Further axes of e1 and e2 are flattened.
/// Throws ValueError if only some of V1, V2, b are given, InvalidType if shapes do not match or dtypes are not one
/// floating dtype.
///   F::bilinear(ones({2, 3}), ones({2, 4}), ones({3, 4, 5}))
inline constexpr struct Bilinear {
  static constexpr std::string_view name = "bilinear";
  Variable operator()(const Variable& e1, const Variable& e2, const Variable& W, const Variable& V1 = {},
                      const Variable& V2 = {}, const Variable& b = {}) const;
} bilinear{};

/// Options of scaled_dot_product_attention().
struct ScaledDotProductAttentionOptions {
  Array mask = {};                   ///< broadcasts to the scores: boolean, true where to attend, or added to them
  bool causal = false;               ///< the last query attends to all keys, each one before to one key fewer
  double dropout = 0;                ///< in training, the share of the probabilities that become 0
  std::optional<double> scale = {};  ///< 1 / sqrt(D) by default
};
/// Computes softmax(scale q k^T + mask) v for q (N, H, L, D), k (N, G, S, D) and v (N, G, S, E): (N, H, L, E). G
/// divides H: each H / G consecutive heads share keys and values. All may have more or fewer axes before the last two.
/// Queries without any key give 0. On the host, memory grows linearly with L and S, also in backward() without a graph.
/// Throws InvalidType for other dtypes or lengths, DimensionError if examples, heads or the mask do not fit, ValueError
/// unless dropout is in [0, 1), TypeError for an integer mask. Vaswani et al., arXiv:1706.03762; Dao, arXiv:2307.08691.
///   F::scaled_dot_product_attention(ones({1, 2, 4, 8}), ones({1, 2, 4, 8}), ones({1, 2, 4, 8}), {.causal = true})
inline constexpr struct ScaledDotProductAttention {
  static constexpr std::string_view name = "scaled_dot_product_attention";
  Variable operator()(const Variable& q, const Variable& k, const Variable& v,
                      const ScaledDotProductAttentionOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(scaled_dot_product_attention, ".mask, .causal, .dropout, .scale", const Variable&,
                             const Variable&, const Variable&);
} scaled_dot_product_attention{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
