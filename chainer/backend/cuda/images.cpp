// SPDX-License-Identifier: MIT
// Moments of batches, pooling, convolutions.
#include <algorithm>
#include <bit>
#include <optional>

#include "chainer/array/operations/batch_factors.h"
#include "chainer/array/operations/convolution.h"
#include "chainer/array/operations/pooling.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/kernels/convolution.h"
#include "chainer/backend/cuda/kernels/moments.h"
#include "chainer/backend/cuda/kernels/pooling.h"
#include "chainer/backend/cuda/spaces.h"

namespace chainer::cuda {
namespace {

// Adjacent keys of x (outer, keys, inner) are processed together if they are adjacent in memory. The number of parts
// per key is chosen so that blocks occupy a large device and every thread has work.
MomentsArgs moments_of(const Array& x) {
  MomentsArgs a{};
  a.x = x.raw();
  a.outer = x.shape()[0], a.keys = x.shape()[1], a.inner = x.shape()[2];
  a.wide = a.inner == 1 ? 32 : 1;
  const int64_t tiles = (a.keys + a.wide - 1) / a.wide, count = a.outer * a.inner;
  a.parts = static_cast<uint32_t>(std::clamp<int64_t>(std::min(count * a.wide / 2048, 2048 / tiles), 1, 128));
  return a;
}

}  // namespace

// Computes the parts of the two sums of moments() or, with gy, of moments_grad(), in `parts`.
MomentsMergeArgs CudaBackend::parts_of_keys(MomentsArgs a, const Array& x, Array& parts) {
  const auto tiles = static_cast<unsigned>((a.keys + a.wide - 1) / a.wide);
  parts = Array({2, a.parts, a.keys}, float64, x.device());
  a.first = static_cast<double*>(parts.mutable_raw());
  a.second = a.first + a.parts * a.keys;
  launch(x.device().index(), kernel_for(a.gy ? "moments_grad" : "moments", x.dtype()), {tiles, a.parts, 1},
         {MomentsArgs::kThreads, 1, 1}, a);
  return {a.first, a.second, nullptr, nullptr, a.outer * a.inner, a.keys, a.parts, a.gy != nullptr};
}

namespace {

KeyArray key_array(const Array& a, const void* data) {
  return {static_cast<char*>(const_cast<void*>(data)), type_of(a.dtype())};
}
Dim3 warps_of_keys(int64_t keys) {
  return {static_cast<unsigned>(
              std::clamp<int64_t>((keys + MomentsMergeArgs::kWarps - 1) / MomentsMergeArgs::kWarps, 1, 2112)),
          1, 1};
}
constexpr Dim3 kKeyThreads{32, MomentsMergeArgs::kWarps, 1};
double* doubles_of(Array& a) { return static_cast<double*>(a.mutable_raw()); }
const double* doubles_of(const Array& a) { return static_cast<const double*>(a.raw()); }
MomentsArgs moments_grad_of(const Array& gy, const Array& x, const Array& mean) {
  MomentsArgs a = moments_of(x);
  a.gy = gy.raw(), a.mean = doubles_of(mean);
  return a;
}
bool is_dense_floats(const Array& a) { return is_floating(a.dtype()) && a.is_contiguous(); }

}  // namespace

void CudaBackend::moments(const Array& x, Array& mean, Array& squares) {
  if (x.size() == 0) return Backend::moments(x, mean, squares);
  Array parts;
  MomentsMergeArgs merge = parts_of_keys(moments_of(x), x, parts);
  merge.total_first = doubles_of(mean), merge.total_second = doubles_of(squares);
  launch(x.device().index(), "merge_moments", warps_of_keys(merge.keys), kKeyThreads, merge);
}

void CudaBackend::moments_grad(const Array& gy, const Array& x, const Array& mean, Array& total, Array& along) {
  if (x.size() == 0) return Backend::moments_grad(gy, x, mean, total, along);
  Array parts;
  MomentsMergeArgs merge = parts_of_keys(moments_grad_of(gy, x, mean), x, parts);
  merge.total_first = doubles_of(total), merge.total_second = doubles_of(along);
  launch(x.device().index(), "merge_moments", warps_of_keys(merge.keys), kKeyThreads, merge);
}

void CudaBackend::batch_factors(BatchFactors& f) {
  const auto is_running = [](const Array& a) { return !a || is_dense_floats(a); };
  if (f.x.size() == 0 || !is_dense_floats(f.gamma) || !is_running(f.running_mean) || !is_running(f.running_var))
    return Backend::batch_factors(f);
  const void* const gamma = f.gamma.raw();
  Array parts;
  FactorsArgs args{parts_of_keys(moments_of(f.x), f.x, parts), f.eps, f.decay, doubles_of(f.rstd), {}, {}, {}, {}};
  args.merge.total_first = doubles_of(f.average);
  args.gamma = key_array(f.gamma, gamma), args.scale = key_array(f.scale, f.scale.mutable_raw());
  if (f.running_mean) args.running_mean = key_array(f.running_mean, f.running_mean.mutable_raw());
  if (f.running_var) args.running_var = key_array(f.running_var, f.running_var.mutable_raw());
  launch(f.x.device().index(), "batch_factors", warps_of_keys(args.merge.keys), kKeyThreads, args);
}

void CudaBackend::batch_gradients(const Array& gy, const Array& x, const Array& average, const Array& rstd,
                                  const Array& gamma, Array& gx, Array& ggamma, Array& gbeta) {
  if (x.size() == 0 || !is_dense_floats(gamma))
    return Backend::batch_gradients(gy, x, average, rstd, gamma, gx, ggamma, gbeta);
  const void* const from_gamma = gamma.raw();
  Array parts, factors({3, average.size()}, float64, x.device());
  double* const a = doubles_of(factors);
  const int64_t keys = average.size();
  GradientFactorsArgs args{parts_of_keys(moments_grad_of(gy, x, average), x, parts),
                           doubles_of(rstd),
                           a,
                           a + keys,
                           a + 2 * keys,
                           key_array(gamma, from_gamma),
                           key_array(ggamma, ggamma.mutable_raw()),
                           key_array(gbeta, gbeta.mutable_raw())};
  launch(x.device().index(), "batch_gradient_factors", warps_of_keys(keys), kKeyThreads, args);
  combine(gy, x, doubles_of(average), a, a + keys, a + 2 * keys, gx);
}

void CudaBackend::centered_combination(const Array& gy, const Array& x, const Array& mean, const Array& a,
                                       const Array& b, const Array& c, Array& gx) {
  if (x.size() == 0) return;
  combine(gy, x, doubles_of(mean), doubles_of(a), doubles_of(b), doubles_of(c), gx);
}
void CudaBackend::combine(const Array& gy, const Array& x, const double* mean, const double* a, const double* b,
                          const double* c, Array& gx) {
  const CombinationArgs args{gy.raw(),
                             x.raw(),
                             mean,
                             a,
                             b,
                             c,
                             gx.mutable_raw(),
                             x.size(),
                             x.shape()[1],
                             x.shape()[2],
                             divider(static_cast<uint32_t>(x.shape()[1])),
                             divider(static_cast<uint32_t>(x.shape()[2]))};
  const Threads t(x.size(), 4);
  launch(gx.device().index(), kernel_for("centered_combination", x.dtype()), t.grid, t.block, args);
}

void CudaBackend::standardize_rows(RowsMomentsArgs args, const Array& x, const Array& y) {
  args.n = x.shape()[0], args.d = x.shape()[1];
  const auto lanes = static_cast<int>(
      std::clamp<uint64_t>(std::bit_ceil(static_cast<uint64_t>(args.d + 3) / 4), 1, RowsMomentsArgs::kThreads));
  args.wide = RowsMomentsArgs::kThreads / lanes;
  const auto blocks = static_cast<unsigned>(std::clamp<int64_t>((args.n - 1) / args.wide + 1, 1, 2112));
  launch(y.device().index(), kernel_for("standardize", x.dtype()), {blocks, 1, 1}, {RowsMomentsArgs::kThreads, 1, 1},
         args);
}
void CudaBackend::standardize(const Array& x, double eps, Array& y, Array& rstd) {
  if (x.size() == 0) return Backend::standardize(x, eps, y, rstd);
  standardize_rows({x.raw(), nullptr, y.mutable_raw(), doubles_of(rstd), eps, 0, 0, 1}, x, y);
}
void CudaBackend::standardize_grad(const Array& gy, const Array& y, const Array& rstd, Array& gx) {
  if (y.size() == 0) return Backend::standardize_grad(gy, y, rstd, gx);
  standardize_rows({y.raw(), gy.raw(), gx.mutable_raw(), const_cast<double*>(doubles_of(rstd)), 0, 0, 0, 1}, y, gx);
}

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
