// Fourier transforms by kissfft.
#include <complex>
#include <vector>

#include <kissfft/kissfft.hh>

#include "chainer/backend/cpu/parallel.h"
#include "chainer/routines/fft.h"

namespace chainer {

Arrays fft(const Array& re, const Array& im, bool inverse) {
  if (re.shape() != im.shape() || re.ndim() == 0)
    throw DimensionError("fft: two parts of one shape with an axis are needed, not ", re.shape(), " and ", im.shape());
  const int64_t n = re.shape(-1), rows = n ? re.size() / n : 0;
  const Array x = re.astype(Dtype::float64, false).copy(), y = im.astype(Dtype::float64, false).copy();
  Array out_re(re.shape(), Dtype::float64), out_im(re.shape(), Dtype::float64);
  const double *xr = x.data<double>(), *xi = y.data<double>();
  double *yr = out_re.mutable_data<double>(), *yi = out_im.mutable_data<double>();
  const double scale = inverse ? 1 / static_cast<double>(n) : 1;
  cpu::parallel_ranges(rows, re.size() * 16, 1, [&](int64_t begin, int64_t end) {
    const kissfft<double> plan(static_cast<std::size_t>(n), inverse);
    std::vector<std::complex<double>> in(static_cast<std::size_t>(n)), out(in.size());
    for (int64_t row = begin; row < end; ++row) {
      for (int64_t i = 0; i < n; ++i) in[static_cast<std::size_t>(i)] = {xr[row * n + i], xi[row * n + i]};
      if (n == 1)
        out = in;
      else
        plan.transform(in.data(), out.data());
      for (int64_t i = 0; i < n; ++i) {
        yr[row * n + i] = out[static_cast<std::size_t>(i)].real() * scale;
        yi[row * n + i] = out[static_cast<std::size_t>(i)].imag() * scale;
      }
    }
  });
  return {out_re.astype(re.dtype(), false), out_im.astype(re.dtype(), false)};
}

}  // namespace chainer
