// Discrete Fourier transforms.
#pragma once
#include "chainer/array/array.h"

namespace chainer {

/// The transform of re + i im along the last axis as {re, im}, or with `inverse` the inverse one, which is divided by
/// the length.
Arrays fft(const Array& re, const Array& im, bool inverse = false);
/// The sums scale * sum over j of x[j] exp(-+ 2 pi i j k / n), with + for `inverse`, whatever the length.
Arrays fft_sums(const Array& re, const Array& im, bool inverse, double scale);

}  // namespace chainer
