// SPDX-License-Identifier: MIT
// Fourier transforms by a library.
#include "chainer/array/operations/ops.h"
#include "chainer/backend/cuda/device_state.h"

namespace chainer::cuda {

// The library's numbers have their real and imaginary parts in turn.
bool CudaBackend::fourier(const Array& re, const Array& im, bool inverse, double scale, Array& yr, Array& yi) {
  const int64_t n = re.shape()[re.ndim() - 1], rows = re.size() / n;
  const int index = re.device().index();
  FourierCall call{nullptr, n, rows, re.dtype(), inverse};
  const std::optional<std::size_t> bytes =
      with_device(index, [&](DeviceState& d) { return driver_->fourier_workspace(d.stream, call); });
  if (!bytes) return false;
  Array pairs({rows, n, 2}, re.dtype(), re.device()), room;
  if (*bytes) room = Array(Shape{static_cast<int64_t>(*bytes)}, uint8, re.device());
  const auto part = [&](int64_t which) {
    return Array(ArrayBody::view(pairs.body_ref(), Shape{rows, n}, Strides{2 * n, 2}, which));
  };
  Array real = part(0), imaginary = part(1);
  copy_elements(re.reshape({rows, n}), real);
  copy_elements(im.reshape({rows, n}), imaginary);
  call.data = pairs.mutable_raw();
  void* const workspace = room ? room.mutable_raw() : nullptr;
  with_device(index, [&](DeviceState& d) {
    if (!Capturing::of(*this, index)) ++d.counts.calls;
    driver_->transform(d.work_stream(*this), call, workspace);
  });
  const Array factor = constant(scale, re.dtype(), re.device());
  const Array everywhere(ArrayBody::view(factor.body_ref(), Shape{rows, n}, Strides{0, 0}, 0));
  for (const auto& [from, to] : {std::pair<const Array*, Array*>{&real, &yr}, {&imaginary, &yi}}) {
    Array out = to->reshape({rows, n});
    const Array* const both[] = {from, &everywhere};
    elementwise(Elementwise::multiply, both, out, re.dtype());
  }
  return true;
}

}  // namespace chainer::cuda
