// SPDX-License-Identifier: MIT
// Fourier transforms of rows on the host, for routines above the backends.
#pragma once
#include <cstdint>

namespace chainer::host_kernels {

/// Rows of n complex numbers, with real and imaginary parts in separate arrays. y must not overlap x.
template <class T>
struct ComplexRows {
  const T *xr, *xi;
  T *yr, *yi;
  int64_t rows, n;
};
/// y[k] = scale * sum over j of x[j] exp(-2 pi i j k / n), or exp(+2 pi i j k / n) for the inverse transform. Any n.
void fourier(const ComplexRows<float>& r, bool inverse, double scale);
void fourier(const ComplexRows<double>& r, bool inverse, double scale);

}  // namespace chainer::host_kernels
