// Convolutions that a device's library computes.
#include <algorithm>
#include <bit>
#include <optional>

#include "chainer/array/operations/convolution.h"
#include "chainer/backend/cuda/cuda_backend.h"

namespace chainer::cuda {
namespace {

// The strides of a tensor (N, C, spatial...) without gaps, in C order or with channels last.
Dims dense_strides(const Dims& size, bool last) {
  Dims out = size;
  int64_t step = 1;
  const auto put = [&](int axis) {
    out[axis] = step;
    step *= size[axis];
  };
  if (last) put(1);
  for (int d = size.ndim() - 1; d >= 0; --d)
    if (d != 1 || !last) put(d);
  return out;
}
// Libraries take two axes at least: one axis gets another before it.
Dims two_axes(const Dims& d, int spatial, int64_t other) {
  if (spatial > 1) return d;
  Dims out = d;
  out.push_back(d.back());
  out[d.ndim() - 1] = other;
  return out;
}
// An order in which an array lies without gaps: true where channels are last, false where it is C's. Filters and images
// whose memory is both at once are said to have their channels last, as images do.
std::optional<bool> order_of(const Array& a) {
  const Dims size(a.shape().begin(), a.shape().end());
  const Strides strides = a.strides();
  for (const bool last : {true, false}) {
    const Dims dense = dense_strides(size, last);
    bool same = true;
    for (int d = 0; d < size.ndim(); ++d) same = same && (size[d] == 1 || dense[d] == strides[d]);
    if (same) return last;
  }
  return {};
}
// Padding behind the end: the same as before it where as many positions fit, since libraries know that best; nothing
// where they do not fit whatever the padding.
std::optional<Dims> pads_behind(const ConvolutionPlan& plan, const Array& x, const Array& w, const Array& y) {
  Dims out;
  for (int d = 0; d < plan.stride.ndim(); ++d) {
    const int64_t k = (w.shape()[d + 2] - 1) * plan.dilate[d] + 1, n = y.shape()[d + 2];
    const auto positions = [&](int64_t behind) {
      const int64_t room = x.shape()[d + 2] + plan.pad[d] + behind - k;
      return room < 0 ? 0 : room / plan.stride[d] + 1;
    };
    const int64_t least = std::max<int64_t>(plan.pad_end(d, x.shape()[d + 2], w.shape()[d + 2], n), 0);
    const int64_t behind = positions(plan.pad[d]) == n ? plan.pad[d] : least;
    if (positions(behind) != n) return {};
    out.push_back(behind);
  }
  return out;
}
int64_t alignment_of_tensor(const void* p) {
  return int64_t(1) << std::countr_zero(reinterpret_cast<std::uintptr_t>(p) | 16);
}

}  // namespace

bool CudaBackend::convolve_by_library(Convolution op, const ConvolutionPlan& plan, const Array& a, const Array& b,
                                      const Array& bias, Array& out, bool accumulate) {
  const int spatial = plan.stride.ndim(), index = out.device().index();
  if (!plan.by_library || spatial > 3 || !is_floating(out.dtype()) || a.size() == 0 || b.size() == 0) return false;
  const std::optional<bool> out_order = order_of(out);
  if (!out_order) return false;
  const Array& x = op == Convolution::backward_data ? out : a;
  const Array& w = op == Convolution::backward_weights ? out : b;
  const Array& y = op == Convolution::forward ? out : op == Convolution::backward_data ? a : b;
  const std::optional<Dims> behind = pads_behind(plan, x, w, y);
  if (!behind) return false;

  // What has gaps will be copied, if the library takes the call.
  const std::optional<bool> a_order = order_of(a), b_order = order_of(b);
  const void *from_a = a_order ? a.raw() : nullptr, *from_b = b_order ? b.raw() : nullptr;
  const auto tensor = [&](const Array& array) {
    const bool written = &array == &out, first = &array == &a;
    const bool last = written ? *out_order : (first ? a_order : b_order).value_or(&array != &w);
    const Dims size = two_axes(Dims(array.shape().begin(), array.shape().end()), spatial, 1);
    void* data = written ? out.mutable_raw() : const_cast<void*>(first ? from_a : from_b);
    return ConvolutionCall::Tensor{data, size, dense_strides(size, last), alignment_of_tensor(data)};
  };
  ConvolutionCall call{op,
                       tensor(x),
                       tensor(w),
                       tensor(y),
                       out.dtype(),
                       two_axes(plan.stride, spatial, 1),
                       two_axes(plan.pad, spatial, 0),
                       two_axes(*behind, spatial, 0),
                       two_axes(plan.dilate, spatial, 1),
                       accumulate || bias,
                       plan.units};
  const std::optional<std::size_t> bytes = convolution_workspace(index, call);
  if (!bytes) return false;
  Array room, a_copy, b_copy;
  try {
    if (*bytes) room = Array(Shape{static_cast<int64_t>(*bytes)}, uint8, out.device());
  } catch (const MemoryError&) { return false; }  // the kernel needs none
  const auto copied = [&](const Array& from, Array& copy) {
    copy = &from == &w ? Array(from.shape(), from.dtype(), from.device())
                       : channels_last(from.shape(), from.dtype(), from.device());
    copy_elements(from, copy);
    ConvolutionCall::Tensor& t = &from == &x ? call.x : &from == &w ? call.w : call.y;
    t.data = copy.mutable_raw();
  };
  if (!a_order) copied(a, a_copy);
  if (!b_order) copied(b, b_copy);
  if (bias) {  // the library adds to it
    Strides steps = Dims::filled(out.ndim(), 0);
    steps[1] = bias.strides()[0];
    const Array wide(ArrayBody::view(bias.body_ref(), out.shape(), steps, 0));
    const Array* both[] = {&wide, &out};
    elementwise(accumulate ? Elementwise::add : Elementwise::copy, {both, accumulate ? 2u : 1u}, out,
                compute_dtype(out.dtype()));
  }
  convolve(index, call, room ? room.mutable_raw() : nullptr);
  return true;
}

}  // namespace chainer::cuda
