// SPDX-License-Identifier: MIT
// Scaled dot-product attention block by block, for functions whose arrays are on the host.
#pragma once
#include <cstdint>

#include "chainer/array/array.h"

namespace chainer::host_kernels {

/// What attention() computes. `mask` is empty, boolean (true: attend) or of the dtype of the inputs (added to the
/// scores), of any strides, in the shape (..., heads, queries, keys). Query i attends to the keys up to
/// i + keys - queries if `causal` is true. `seed` is empty or has two integral float64 numbers below 2^32: a
/// probability is then 0 with probability `dropout`, else divided by 1 - dropout.
struct Attention {
  double scale;
  bool causal;
  double dropout;
  Array mask, seed;
};

/// Returns softmax(scale q k^T + mask) v, zero for queries without any key, for q (..., heads, queries, D),
/// k (..., groups, keys, D) and v (..., groups, keys, E), where `groups` divides `heads` and consecutive heads share
/// one. `top` and `inverse` (one element per row of the result) receive what the gradient needs. All arrays are float32
/// or float64, on the host and of any strides, with at least three axes and one element.
Array attention(const Attention& a, const Array& q, const Array& k, const Array& v, Array& top, Array& inverse);
/// Returns the gradients with respect to q, k and v, from the result y and the gradient with respect to it.
Arrays attention_grad(const Attention& a, const Array& q, const Array& k, const Array& v, const Array& y,
                      const Array& gy, const Array& top, const Array& inverse);
/// Returns what dropout multiplies the probabilities of this shape (..., queries, keys) by.
Array attention_dropout(const Attention& a, const Shape& shape, Dtype dtype);

}  // namespace chainer::host_kernels
