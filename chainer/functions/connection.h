// F: neural network connections (manual: "Neural network connections").
#pragma once
#include <optional>

#include "chainer/autograd/variable.h"

namespace chainer {
namespace functions {

/// Options of embed_id().
struct EmbedIdOptions {
  std::optional<int64_t> ignore_label = {};  ///< this id gives a row of zeros and no gradient
};
/// The rows of W (vocabulary, size) named by the integers of x: shape x.shape + (size,). An id outside the vocabulary
/// is an IndexError.
///   F::embed_id(array({1, 0}), array({{1.f, 2.f}, {3.f, 4.f}}))  // [[3, 4], [1, 2]]
inline constexpr struct EmbedId {
  static constexpr std::string_view name = "embed_id";
  Variable operator()(const Variable& x, const Variable& W, const EmbedIdOptions& options = {}) const;
} embed_id{};

/// Options of linear().
struct LinearOptions {
  int64_t n_batch_axes = 1;  ///< leading axes kept as they are; the others are flattened
};
/// x W^T + b, with x (N, in) or flattened to it, W (out, in), b (out) or none.
///   F::linear(array({{1.f, 2.f}}), array({{3.f, 4.f}}), array({1.f}))  // [[12]]
inline constexpr struct Linear {
  static constexpr std::string_view name = "linear";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const LinearOptions& options = {}) const;
} linear{};

/// For rows e1 (N, J) and e2 (N, K): the sum over j, k of e1_j e2_k W_jkl, plus e1 V1 + e2 V2 + b if these are given,
/// with W (J, K, L), V1 (J, L), V2 (K, L), b (L).
///   F::bilinear(ones({2, 3}), ones({2, 4}), ones({3, 4, 5}))
inline constexpr struct Bilinear {
  static constexpr std::string_view name = "bilinear";
  Variable operator()(const Variable& e1, const Variable& e2, const Variable& W, const Variable& V1 = {},
                      const Variable& V2 = {}, const Variable& b = {}) const;
} bilinear{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
