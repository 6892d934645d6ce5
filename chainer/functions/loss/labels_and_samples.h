// SPDX-License-Identifier: MIT
// Shared by losses with sampled classes.
#pragma once
#include <string_view>

#include "chainer/array/array.h"

namespace chainer::functions {

/// Returns an int64 index (n, 1 + k) of labels t (n) followed by their samples (n, k). A label of -1 becomes 0 and sets
/// *ignored. Throws IndexError for other values that are not in 0 ... vocabulary - 1, DimensionError if the shapes do
/// not match; messages begin with `name`.
Array labels_and_samples(const Array& t, const Array& samples, int64_t vocabulary, std::string_view name,
                         bool* ignored);

}  // namespace chainer::functions
