// Fourier transforms of rows for routines on the host above the backends.
#pragma once
#include <cstdint>

namespace chainer::host_math {

/// Rows of n complex numbers whose parts lie in arrays of their own; y must not lie where x lies.
template <class T>
struct ComplexRows {
  const T *xr, *xi;
  T *yr, *yi;
  int64_t rows, n;
};
/// y[k] = scale * sum over j of x[j] exp(-+ 2 pi i j k / n), with + for the inverse transform. Any n.
void fourier(const ComplexRows<float>& r, bool inverse, double scale);
void fourier(const ComplexRows<double>& r, bool inverse, double scale);

}  // namespace chainer::host_math
