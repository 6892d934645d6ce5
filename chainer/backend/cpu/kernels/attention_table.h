// SPDX-License-Identifier: MIT
// The kernels of attention.
#pragma once
#include <cstdint>

#include "chainer/backend/cpu/kernels/instruction_sets.h"

namespace chainer::cpu {

/// A row of n scores s in a block of `width` columns; those after the first n become 0. `bias` is empty or is added to
/// the scaled scores.
struct AttentionRow {
  int64_t n, width;
  double scale;
  void* s;
  const void* bias;
};

/// Each kernel for float32 and float64, in this order (kF32 and kF64 of Compute).
struct AttentionKernels {
  /// s becomes exp(scale s + bias - top), where `top` is raised to the largest exponent. `sum`, the sum over the blocks
  /// so far, is updated. Returns what the results of earlier blocks are to be multiplied by.
  double (*exponents[2])(const AttentionRow& row, double& top, double& sum);
  /// s becomes exp(scale s + bias - top) inverse.
  void (*probabilities[2])(const AttentionRow& row, double top, double inverse);
  /// s becomes scale p (s - along): the gradient with respect to the scores.
  void (*scores_grad[2])(const AttentionRow& row, const void* p, double along);
  /// Returns the sum of x y.
  double (*dot[2])(const void* x, const void* y, int64_t n);
};

/// Returns the table of the instruction set that kernels() has selected.
const AttentionKernels& attention_kernels();

CHAINER_DECLARE_FILL(fill_attention, AttentionKernels)

}  // namespace chainer::cpu
