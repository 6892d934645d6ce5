// Discrete Fourier transforms.
#pragma once
#include "chainer/array/array.h"

namespace chainer {

/// The transform of re + i im along the last axis as {re, im}, or with `inverse` the inverse one, which is divided by
/// the length. MissingPartError where the library was built without kissfft.
Arrays fft(const Array& re, const Array& im, bool inverse = false);

}  // namespace chainer
