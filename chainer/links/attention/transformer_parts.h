// SPDX-License-Identifier: MIT
// Shared by the layers of transformers.
#pragma once
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

}  // namespace chainer::links
