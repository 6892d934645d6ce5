// SPDX-License-Identifier: MIT
// Pooling, convolutions.
#include <algorithm>
#include <optional>

#include "chainer/array/operations/convolution.h"
#include "chainer/array/operations/pooling.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/kernels/convolution.h"
#include "chainer/backend/cuda/kernels/pooling.h"
#include "chainer/backend/cuda/spaces.h"

namespace chainer::cuda {
namespace {

// The last axes of Windows are those of the plan. Returns nothing if there are more axes, or axes too long for a
// kernel.
std::optional<Windows> windows_of(const Dims& size, const Dims& out, const Dims& ksize, const Dims& stride,
                                  const Dims& pad, const Dims& dilate) {
  Windows w;
  const int axes = size.ndim(), before = Windows::kAxes - axes;
  if (before < 0) return {};
  constexpr int64_t kMost = 1 << 28;
  for (int d = 0; d < Windows::kAxes; ++d) {
    const auto put = [&](int(&to)[Windows::kAxes], const Dims& from, int otherwise) {
      if (d >= before && (from[d - before] >= kMost || from[d - before] < 0)) return false;
      to[d] = d < before ? otherwise : static_cast<int>(from[d - before]);
      return true;
    };
    if (!put(w.size, size, 1) || !put(w.out, out, 1) || !put(w.ksize, ksize, 1) || !put(w.stride, stride, 1) ||
        !put(w.pad, pad, 0) || !put(w.dilate, dilate, 1))
      return {};
  }
  return w;
}

}  // namespace

void CudaBackend::pooling(Pooling op, const PoolingPlan& plan, const Array& in, Array& out, Array* position) {
  if (out.size() == 0) return;
  const auto windows =
      windows_of(plan.size, plan.out, plan.ksize, plan.stride, plan.pad, Dims::filled(plan.size.ndim(), 1));
  if (!windows) return Backend::pooling(op, plan, in, out, position);
  PoolingArgs a{};
  a.in = in.raw();
  a.out = out.mutable_raw();
  if (position) a.position = static_cast<int32_t*>(position->mutable_raw());
  a.windows = *windows;
  a.outer = in.shape()[0], a.inner = in.shape()[in.ndim() - 1];
  a.op = static_cast<int>(op);
  a.weight = plan.weight == PoolingPlan::Weight::one      ? 1
             : plan.weight == PoolingPlan::Weight::volume ? 1 / static_cast<double>(plan.ksize.product())
                                                          : 0;
  const bool to_images = op == Pooling::scatter || op == Pooling::spread;
  const Threads t(out.size());
  launch(out.device().index(), kernel_for(to_images ? "pool_images" : "pool_windows", in.dtype()), t.grid, t.block, a);
}

namespace {

Dims spatial_of(const Array& a) { return Dims(a.shape().begin() + 2, a.shape().end()); }

Images images_of(const Array& a, const void* data) {
  Images out{};
  const int64_t bytes = item_size(a.dtype());
  const Strides strides = a.strides();
  out.data = static_cast<char*>(const_cast<void*>(data));
  out.type = type_of(a.dtype());
  out.image = strides[0] * bytes, out.channel = strides[1] * bytes;
  const int before = Windows::kAxes - (a.ndim() - 2);
  for (int d = 2; d < a.ndim(); ++d) out.axis[before + d - 2] = strides[d] * bytes;
  return out;
}

// Returns the number of parts, by lengths only: float32 sums stay short, and there are many blocks.
int parts_of(int64_t steps, int64_t results, int64_t groups) {
  const int64_t room = (int64_t(1) << 24) / results;
  return static_cast<int>(std::clamp<int64_t>(std::min({steps / 1024, room, 65535 / groups}), 1, 256));
}

}  // namespace

void CudaBackend::convolution(const ConvolutionCall& call) {
  const Convolution op = call.op;
  const ConvolutionPlan& plan = call.plan;
  const Array &a = call.a, &b = call.b, &bias = call.bias;
  const Array &x = call.images(), &W = call.filters(), &y = call.results();
  Array& out = call.out;
  if (out.size() == 0 || convolve_by_library(call)) return;
  const auto windows = windows_of(spatial_of(x), spatial_of(y), spatial_of(W), plan.stride, plan.pad, plan.dilate);
  const int64_t channels = W.shape()[1], filters = W.shape()[0] / plan.groups, taps = spatial_of(W).product();
  const int64_t pixels = x.shape()[0] * spatial_of(x).product(), results = y.shape()[0] * spatial_of(y).product();
  int64_t rows = results, steps = taps * channels, columns = filters;
  const char* kernel = "convolution";
  if (op == Convolution::backward_data)
    rows = pixels, steps = taps * filters, columns = channels, kernel = "convolution_data";
  else if (op == Convolution::backward_weights)
    rows = filters, steps = results, columns = taps * channels, kernel = "convolution_weights";
  constexpr int64_t kMost = 0x7fffff00;
  if (!windows || !is_floating(out.dtype()) || rows > kMost || steps > kMost ||
      columns > 65535 * ConvolutionArgs::kTile)
    return Backend::convolution(call);

  const int index = out.device().index();
  const bool by_parts = op == Convolution::backward_weights;
  ConvolutionArgs args{};
  args.parts = by_parts ? parts_of(steps, out.size(), plan.groups) : 1;
  // The parts are added by a reduction, in float64.
  Array parts, sum;
  if (args.parts > 1) {
    parts = Array(Shape{args.parts, out.size()}, compute_dtype(out.dtype()), out.device());
    args.part = out.size() * item_size(parts.dtype());
    sum = Array(out.shape(), parts.dtype(), out.device());
  }
  const void *from_a = a.raw(), *from_b = b.raw(), *from_bias = bias ? bias.raw() : nullptr;
  const auto given = [&](const Array& array) {
    if (&array != &out) return images_of(array, &array == &a ? from_a : from_b);
    if (args.parts > 1) return images_of(sum, parts.mutable_raw());
    return images_of(out, out.mutable_raw());
  };
  args.x = given(x), args.w = given(W), args.y = given(y);
  if (bias) {
    args.bias = static_cast<const char*>(from_bias), args.bias_type = type_of(bias.dtype());
    args.bias_step = bias.strides()[0] * item_size(bias.dtype());
  }
  args.windows = *windows;
  args.channels = static_cast<int>(channels), args.filters = static_cast<int>(filters);
  args.rows = static_cast<int>(rows), args.steps = static_cast<int>(steps), args.columns = static_cast<int>(columns);
  args.accumulate = call.accumulate && args.parts == 1;
  const auto tiles = [](int64_t n) {
    return static_cast<unsigned>((n + ConvolutionArgs::kTile - 1) / ConvolutionArgs::kTile);
  };
  const auto depth = static_cast<unsigned>(plan.groups * args.parts);
  if (depth > 65535) return Backend::convolution(call);
  launch(index, kernel_for(kernel, out.dtype()), {tiles(rows), tiles(columns), depth},
         {ConvolutionArgs::kThreads, 1, 1}, args);
  if (args.parts == 1) return;
  Array flat = sum.reshape({out.size()});
  reduce(Reduce::sum, parts, Dims{0}, flat);
  if (!call.accumulate) return copy_elements(sum, out);
  const Array* both[] = {&sum, &out};
  elementwise(Elementwise::add, both, out, parts.dtype());
}

}  // namespace chainer::cuda
