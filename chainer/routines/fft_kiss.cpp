// Fourier transforms by kissfft.
#include <complex>
#include <vector>

#include <kissfft/kissfft.hh>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/core/parallel.h"
#include "chainer/routines/fft.h"

namespace chainer {
namespace {

// A thread keeps the plans of its last length: their factors take as long to compute as a row to transform. One a
// direction, because assign() of kissfft 131 forgets that it turned a plan round.
template <class T>
const kissfft<T>& plan(int64_t n, bool inverse) {
  thread_local kissfft<T> kept[] = {{2, false}, {2, true}};
  kept[inverse].assign(static_cast<std::size_t>(n), inverse);
  return kept[inverse];
}

template <class T>
void transform(const Array& re, const Array& im, bool inverse, Array& out_re, Array& out_im) {
  const int64_t n = re.shape(-1), rows = n ? re.size() / n : 0;
  const T *xr = re.data<T>(), *xi = im.data<T>();
  T *yr = out_re.mutable_data<T>(), *yi = out_im.mutable_data<T>();
  const T scale = inverse ? T(1) / static_cast<T>(n) : T(1);
  cpu::parallel_ranges(rows, re.size() * 16, 1, [&](int64_t begin, int64_t end) {
    std::vector<std::complex<T>> in(static_cast<std::size_t>(n)), out(in.size());
    for (int64_t at = begin * n; at < end * n; at += n) {
      for (int64_t i = 0; i < n; ++i) in[static_cast<std::size_t>(i)] = {xr[at + i], xi[at + i]};
      if (n == 1)
        out = in;
      else
        plan<T>(n, inverse).transform(in.data(), out.data());
      for (int64_t i = 0; i < n; ++i) {
        yr[at + i] = out[static_cast<std::size_t>(i)].real() * scale;
        yi[at + i] = out[static_cast<std::size_t>(i)].imag() * scale;
      }
    }
  });
}

}  // namespace

Arrays fft(const Array& re, const Array& im, bool inverse) {
  if (re.shape() != im.shape() || re.ndim() == 0)
    throw DimensionError("fft: two parts of one shape with an axis are needed, not ", re.shape(), " and ", im.shape());
  if (!re.device().is_host())
    return through_host([&](const Array& x, const Array& y) { return fft(x, y, inverse); }, re, im);
  const Dtype type = is_floating(re.dtype()) ? re.dtype() : Dtype::float64;
  const Dtype work = type == Dtype::float64 ? type : Dtype::float32;
  Array out_re(re.shape(), work), out_im(re.shape(), work);
  if (work == Dtype::float64)
    transform<double>(dense(re, work), dense(im, work), inverse, out_re, out_im);
  else
    transform<float>(dense(re, work), dense(im, work), inverse, out_re, out_im);
  return {out_re.astype(type, false), out_im.astype(type, false)};
}

}  // namespace chainer
