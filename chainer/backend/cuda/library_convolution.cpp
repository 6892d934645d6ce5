// SPDX-License-Identifier: MIT
// Convolutions by a device's library.
#include <algorithm>
#include <bit>
#include <optional>

#include "chainer/array/operations/convolution.h"
#include "chainer/array/operations/ops.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/device_state.h"

namespace chainer::cuda {
namespace {

// Returns the strides of a tensor (N, C, spatial...) without gaps, in C order or channels-last.
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
// Libraries require at least two axes: another axis is inserted before a single one.
Dims two_axes(const Dims& d, int spatial, int64_t other) {
  if (spatial > 1) return d;
  Dims out = d;
  out.push_back(d.back());
  out[d.ndim() - 1] = other;
  return out;
}
// Returns the order in which an array has no gaps: true for channels-last, false for C order. Arrays for which both
// hold count as channels-last, as images are.
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
// Returns the padding after the end: equal to the padding before it if the number of positions is the same, because
// libraries handle this best. Returns nothing if no padding fits.
std::optional<Dims> end_pads(const ConvolutionPlan& plan, const Array& x, const Array& w, const Array& y) {
  Dims out;
  for (int d = 0; d < plan.stride.ndim(); ++d) {
    const int64_t k = (w.shape()[d + 2] - 1) * plan.dilate[d] + 1, n = y.shape()[d + 2];
    const auto positions = [&](int64_t end_pad) {
      const int64_t room = x.shape()[d + 2] + plan.pad[d] + end_pad - k;
      return room < 0 ? 0 : room / plan.stride[d] + 1;
    };
    const int64_t least = std::max<int64_t>(plan.pad_end(d, x.shape()[d + 2], w.shape()[d + 2], n), 0);
    const int64_t end_pad = positions(plan.pad[d]) == n ? plan.pad[d] : least;
    if (positions(end_pad) != n) return {};
    out.push_back(end_pad);
  }
  return out;
}
int64_t alignment_of_tensor(const void* p) {
  return int64_t(1) << std::countr_zero(reinterpret_cast<std::uintptr_t>(p) | 16);
}

}  // namespace

bool CudaBackend::convolve_by_library(const ConvolutionCall& asked) {
  const ConvolutionPlan& plan = asked.plan;
  const Array &a = asked.a, &b = asked.b, &bias = asked.bias, &x = asked.images(), &w = asked.filters();
  const Array& y = asked.results();
  Array& out = asked.out;
  const int spatial = plan.stride.ndim(), index = out.device().index();
  if (!plan.by_library || spatial > 3 || !is_floating(out.dtype()) || a.size() == 0 || b.size() == 0) return false;
  const std::optional<bool> out_order = order_of(out);
  if (!out_order) return false;
  const std::optional<Dims> end_pad = end_pads(plan, x, w, y);
  if (!end_pad) return false;

  // Arrays with gaps are copied if the library accepts the call.
  const std::optional<bool> a_order = order_of(a), b_order = order_of(b);
  const void *from_a = a_order ? a.raw() : nullptr, *from_b = b_order ? b.raw() : nullptr;
  const auto tensor = [&](const Array& array) {
    const bool written = &array == &out, first = &array == &a;
    const bool last = written ? *out_order : (first ? a_order : b_order).value_or(&array != &w);
    const Dims size = two_axes(Dims(array.shape().begin(), array.shape().end()), spatial, 1);
    void* data = written ? out.mutable_raw() : const_cast<void*>(first ? from_a : from_b);
    return LibraryConvolution::Tensor{data, size, dense_strides(size, last), alignment_of_tensor(data)};
  };
  LibraryConvolution call{asked.op,
                          tensor(x),
                          tensor(w),
                          tensor(y),
                          out.dtype(),
                          two_axes(plan.stride, spatial, 1),
                          two_axes(plan.pad, spatial, 0),
                          two_axes(*end_pad, spatial, 0),
                          two_axes(plan.dilate, spatial, 1),
                          asked.accumulate || bias,
                          plan.tensor_cores,
                          plan.autotune && !Capturing::of(*this, index)};
  // The library adds the bias to the result if it has a plan for that; else it adds its result to the bias.
  std::optional<std::size_t> bytes;
  if (bias && asked.op == Convolution::forward && !asked.accumulate && bias.is_contiguous()) {
    LibraryConvolution with_bias = call;
    with_bias.accumulate = false;
    Dims size = Dims::filled(call.y.size.ndim(), 1);
    size[1] = bias.size();
    void* const data = const_cast<void*>(bias.raw());
    with_bias.bias = {data, size, dense_strides(size, true), alignment_of_tensor(data)};
    bytes = convolution_workspace(index, with_bias);
    if (bytes) call = with_bias;
  }
  if (!bytes) bytes = convolution_workspace(index, call);
  if (!bytes) return false;
  Array room, a_copy, b_copy;
  try {
    if (*bytes) room = Array(Shape{static_cast<int64_t>(*bytes)}, uint8, out.device());
  } catch (const MemoryError&) { return false; }  // the kernel needs no workspace
  const auto copied = [&](const Array& from, Array& copy) {
    copy = &from == &w ? Array(from.shape(), from.dtype(), from.device())
                       : channels_last(from.shape(), from.dtype(), from.device());
    copy_elements(from, copy);
    LibraryConvolution::Tensor& t = &from == &x ? call.x : &from == &w ? call.w : call.y;
    t.data = copy.mutable_raw();
  };
  if (!a_order) copied(a, a_copy);
  if (!b_order) copied(b, b_copy);
  if (bias && !call.bias.is_given()) {
    Strides steps = Dims::filled(out.ndim(), 0);
    steps[1] = bias.strides()[0];
    const Array wide(ArrayBody::view(bias.body_ref(), out.shape(), steps, 0));
    const Array* both[] = {&wide, &out};
    elementwise(asked.accumulate ? Elementwise::add : Elementwise::copy, {both, asked.accumulate ? 2u : 1u}, out,
                compute_dtype(out.dtype()));
  }
  convolve(index, call, room ? room.mutable_raw() : nullptr);
  return true;
}

}  // namespace chainer::cuda
