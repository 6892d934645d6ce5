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

}  // namespace functions
namespace F = functions;
}  // namespace chainer
