// SPDX-License-Identifier: MIT
// Discrete Fourier transforms.
#pragma once
#include "chainer/array/array.h"

namespace chainer {

/// Returns the discrete Fourier transform of re + i im along the last axis as {re, im}; with `inverse`, the inverse
/// transform, which is divided by the length. Computed in float64 for float64, in float32 for other floating types;
/// integers become float64. Throws DimensionError if the shapes differ or are empty.
Arrays fft(const Array& re, const Array& im, bool inverse = false);
/// Returns scale * sum over j of x[j] exp(-2 pi i j k / n), or exp(+2 pi i j k / n) with `inverse`, for any length n.
Arrays fft_sums(const Array& re, const Array& im, bool inverse, double scale);

}  // namespace chainer
