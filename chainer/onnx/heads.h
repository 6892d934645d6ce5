// SPDX-License-Identifier: MIT
// Attention of several heads, for operators of several domains.
#pragma once
#include "chainer/onnx/call.h"

namespace chainer::onnx {

/// Converts (B, L, H D) to (B, H, L, D) and back.
Variable to_heads(const Call& c, const Variable& x, int64_t heads);
Variable from_heads(const Variable& x);

/// Options of attend().
struct Attending {
  Array allowed = {};  ///< broadcasts to the scores: true where to attend
  Variable bias = {};  ///< added to the scores
  std::optional<double> scale = {};
  double softcap = 0;
  std::optional<Dtype> precision = {};
  int output = 0;  ///< what `scores` receives: scores, these after the cap, with the masks, or probabilities
};
/// Computes attention of q (B, H, L, D), k (B, G, S, D), v (B, G, S, E). Queries without any key give 0.
Variable attend(const Call& c, const Variable& q, const Variable& k, const Variable& v, const Attending& a,
                Variable* scores = nullptr);
/// Rotates the first `size` elements (0: all) of each head by angles, given tables (positions, size / 2), or (B, L,
/// size / 2) without positions. x is (B, L, H D) or (B, H, L, D).
Variable rotated(const Call& c, const Variable& x, const Variable& cosines, const Variable& sines,
                 const Array& positions, int64_t heads, int64_t size, bool interleaved);

}  // namespace chainer::onnx
