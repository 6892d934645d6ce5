// SPDX-License-Identifier: MIT
// Affine maps whose weights are integers of few bits.
#pragma once
#include <optional>

#include "chainer/array/host_kernels/quantized_matrix.h"
#include "chainer/autograd/variable.h"

namespace chainer::functions {

/// Computes x W^T + b like linear(), with a constant W that is quantized. Gradients with respect to x and b are those
/// of linear() with the rounded weights. Throws as linear() does.
Variable quantized_linear(const Variable& x, const QuantizedMatrix& W, const Variable& b, int64_t n_batch_axes);
/// Returns rows of W by integer ids like embed_id(), rounded and without gradients. Throws as embed_id() does.
Variable quantized_rows(const Variable& ids, const QuantizedMatrix& W, std::optional<int64_t> ignore_label);

}  // namespace chainer::functions
