// SPDX-License-Identifier: MIT
// The paths of connectionist temporal classification.
#pragma once
#include <cstdint>

#include "chainer/array/array.h"

namespace chainer {

/// The labels of each item of a batch with blanks between, before and after them. Arrays are contiguous int64.
struct CtcPaths {
  int64_t blank = 0;
  Array symbols;                    ///< (batch, width), in the vocabulary also after the end of a path
  Array input_length, path_length;  ///< (batch): steps, symbols; both at least one
  int64_t batch() const { return symbols.shape()[0]; }
  int64_t width() const { return symbols.shape()[1]; }
  CtcPaths on(const Device& d) const {
    return {blank, symbols.to_device(d), input_length.to_device(d), path_length.to_device(d)};
  }
  // The following are for arrays on the host.

  int64_t at(int64_t b, int64_t s) const { return symbols.data<int64_t>()[b * width() + s]; }
  /// Returns true if a path may go to s from s - 2: over a blank, between different labels.
  bool skips(int64_t b, int64_t s) const { return s >= 2 && at(b, s) != blank && at(b, s) != at(b, s - 2); }
};

}  // namespace chainer
