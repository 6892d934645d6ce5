// F: normalization functions (manual: "Normalization functions").
#pragma once
#include "chainer/autograd/variable.h"

namespace chainer {
namespace functions {

/// Options of normalize().
struct NormalizeOptions {
  double eps = 1e-5;
  Axes axis = 1;
};
/// x / (|x| + eps) with the Euclidean norm over axes.
///   F::normalize(array({{3.f, 4.f}}))  // [[0.6, 0.8]]
inline constexpr struct Normalize {
  static constexpr std::string_view name = "normalize";
  Variable operator()(const Variable& x, const NormalizeOptions& options = {}) const;
} normalize{};

/// Options of layer_normalization() and group_normalization().
struct LayerNormalizationOptions {
  double eps = 1e-5;
};
/// Each row of x (N, D) with mean 0 and variance 1, then times gamma (D) plus beta (D). Ba et al., arXiv:1607.06450.
///   F::layer_normalization(array({{1.f, 3.f}}), array({1.f, 1.f}), array({0.f, 0.f}))  // [[-1, 1]]
inline constexpr struct LayerNormalization {
  static constexpr std::string_view name = "layer_normalization";
  Variable operator()(const Variable& x, const Variable& gamma, const Variable& beta,
                      const LayerNormalizationOptions& options = {}) const;
} layer_normalization{};

/// Groups of channels of each item of x (N, C, ...) with mean 0 and variance 1, then times gamma (C) plus beta (C).
/// Wu & He, arXiv:1803.08494.
///   F::group_normalization(ones({2, 4, 3}), 2, ones({4}), zeros({4}))
inline constexpr struct GroupNormalization {
  static constexpr std::string_view name = "group_normalization";
  Variable operator()(const Variable& x, int64_t groups, const Variable& gamma, const Variable& beta,
                      const LayerNormalizationOptions& options = {}) const;
} group_normalization{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
