// SPDX-License-Identifier: MIT
// The forward and backward recurrences of connectionist temporal classification.
#pragma once
#include <cstdint>
#include <vector>

#include "chainer/array/array.h"

namespace chainer::host_kernels {

/// The logarithm of an impossibility: finite, so that differences of two such numbers are defined.
inline constexpr double kImpossible = -1e30;

/// The labels of each item of a batch with blanks between, before and after them.
struct CtcPaths {
  int64_t blank = 0, batch = 0, steps = 0, width = 0;
  Array symbols;                                   ///< (batch, width), int64; 0 after the end of a path
  std::vector<int64_t> input_length, path_length;  ///< of each item: steps, symbols
  int64_t at(int64_t b, int64_t s) const { return symbols.data<int64_t>()[b * width + s]; }
  /// Returns true if a path may go to s from s - 2: over a blank, between different labels.
  bool skips(int64_t b, int64_t s) const { return s >= 2 && at(b, s) != blank && at(b, s) != at(b, s - 2); }
};

/// What ctc_backward() needs of each item: log probabilities of all ways to each symbol, and of all paths. The latter
/// is below kImpossible / 2 if no path fits the input.
struct CtcState {
  std::vector<std::vector<double>> alphas;
  std::vector<double> totals;
};

/// Fills the state from log probabilities x (steps, batch, vocabulary), float64, on the host and contiguous. Items are
/// computed by different threads.
void ctc_forward(const CtcPaths& paths, const Array& x, CtcState& state);
/// gx -= weights[b] times the probability of each symbol at each step, given the labels. An item without a path adds
/// nothing. `state.alphas` is read only.
void ctc_backward(const CtcPaths& paths, const Array& x, CtcState& state, const Array& weights, Array& gx);

}  // namespace chainer::host_kernels
