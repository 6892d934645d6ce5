// SPDX-License-Identifier: MIT
// Batch and layer normalization.
#include <algorithm>
#include <bit>

#include "chainer/array/operations/batch_factors.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/kernels/moments.h"
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
  return {blocks_for((keys + MomentsMergeArgs::kWarps - 1) / MomentsMergeArgs::kWarps), 1, 1};
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
  launch(y.device().index(), kernel_for("standardize", x.dtype()), {blocks_for((args.n - 1) / args.wide + 1), 1, 1},
         {RowsMomentsArgs::kThreads, 1, 1}, args);
}
void CudaBackend::standardize(const Array& x, double eps, Array& y, Array& rstd) {
  if (x.size() == 0) return Backend::standardize(x, eps, y, rstd);
  standardize_rows({x.raw(), nullptr, y.mutable_raw(), doubles_of(rstd), eps, 0, 0, 1}, x, y);
}
void CudaBackend::standardize_grad(const Array& gy, const Array& y, const Array& rstd, Array& gx) {
  if (y.size() == 0) return Backend::standardize_grad(gy, y, rstd, gx);
  standardize_rows({y.raw(), gy.raw(), gx.mutable_raw(), const_cast<double*>(doubles_of(rstd)), 0, 0, 0, 1}, y, gx);
}

}  // namespace chainer::cuda
