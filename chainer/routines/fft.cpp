// SPDX-License-Identifier: MIT
#include "chainer/routines/fft.h"

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/array/host_kernels/fourier.h"
#include "chainer/array/recording/step.h"

namespace chainer {
namespace {

template <class T>
Arrays transform(const Array& re, const Array& im, bool inverse, double scale) {
  Arrays out{Array(re.shape(), re.dtype()), Array(re.shape(), re.dtype())};
  const Array parts[] = {re, im};
  recording::step(
      "fft", parts, {out.data(), out.size()},
      [inverse, scale](std::span<const Array> x, std::span<Array> y) {
        const int64_t n = x[0].shape(-1);
        host_kernels::fourier({.xr = x[0].data<T>(),
                               .xi = x[1].data<T>(),
                               .yr = y[0].mutable_data<T>(),
                               .yi = y[1].mutable_data<T>(),
                               .rows = n ? x[0].size() / n : 0,
                               .n = n},
                              inverse, scale);
      },
      true);
  return out;
}

}  // namespace

Arrays fft_sums(const Array& re, const Array& im, bool inverse, double scale) {
  if (re.shape() != im.shape() || re.ndim() == 0)
    throw DimensionError("fft: real and imaginary part must have the same shape with at least one axis, not ",
                         re.shape(), " and ", im.shape());
  const Dtype type = is_floating(re.dtype()) ? re.dtype() : Dtype::float64;
  const Dtype work = type == Dtype::float64 ? type : Dtype::float32;
  const Array a = dense(re, work), b = dense(im, work);
  const Device device = re.device();
  Arrays y;
  if (device.is_host()) {
    y = work == Dtype::float64 ? transform<double>(a, b, inverse, scale) : transform<float>(a, b, inverse, scale);
  } else {
    y = {Array(re.shape(), work, device), Array(re.shape(), work, device)};
    if (re.size() && !device.backend().fourier(a, b.to_device(device), inverse, scale, y[0], y[1]))
      return through_host([&](const Array& x, const Array& z) { return fft_sums(x, z, inverse, scale); }, re, im);
  }
  for (Array& part : y) part = part.astype(type, false);
  return y;
}

Arrays fft(const Array& re, const Array& im, bool inverse) {
  const int64_t n = re.ndim() ? std::max<int64_t>(re.shape(-1), 1) : 1;
  return fft_sums(re, im, inverse, inverse ? 1 / static_cast<double>(n) : 1);
}

}  // namespace chainer
