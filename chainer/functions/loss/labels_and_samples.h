// What losses with sampled classes share.
#pragma once
#include <string_view>

#include "chainer/array/array.h"

namespace chainer::functions {

/// The int64 index (n, 1 + k) of labels t (n) followed by their samples (n, k). A label of -1 becomes 0 and sets
/// *ignored; other values outside 0 ... vocabulary-1 are an IndexError that begins with `name`.
Array labels_and_samples(const Array& t, const Array& samples, int64_t vocabulary, std::string_view name,
                         bool* ignored);

}  // namespace chainer::functions
