// SPDX-License-Identifier: MIT
// The forward and backward recurrences of connectionist temporal classification.
#pragma once
#include "chainer/array/operations/ctc_paths.h"

namespace chainer::host_kernels {

/// The logarithm of an impossibility: finite, so that differences of two such numbers are defined.
inline constexpr double kImpossible = -1e30;

/// Returns the shape of `alphas` below, in which each row lies between two elements on each side that only the kernels
/// use.
inline Shape ctc_alphas(const CtcPaths& paths, int64_t steps) { return {paths.batch(), steps, paths.width() + 4}; }

/// From log probabilities x (steps, batch, vocabulary): `alphas`, the log probability of all ways to each symbol after
/// each step, and `totals` (batch), that of all paths, below kImpossible / 2 if no path fits the input. All are
/// float64, on the host and contiguous. Items are computed by different threads.
void ctc_forward(const CtcPaths& paths, const Array& x, Array& alphas, Array& totals);
/// gx -= weights[b] times the probability of each symbol at each step, given the labels. An item without a path adds
/// nothing.
void ctc_backward(const CtcPaths& paths, const Array& x, const Array& alphas, const Array& totals, const Array& weights,
                  Array& gx);

}  // namespace chainer::host_kernels
