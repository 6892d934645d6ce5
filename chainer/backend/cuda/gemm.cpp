// SPDX-License-Identifier: MIT
// Matrix products: by a library, or by a kernel.
#include "chainer/backend/cuda/kernels/gemm.h"

#include <algorithm>

#include "chainer/backend/cuda/device_state.h"
#include "chainer/backend/cuda/spaces.h"

namespace chainer::cuda {
namespace {

// Returns the arguments of alpha a b + beta out.
ProductCall product_call(const Array& a, const Array& b, Array& out, double alpha, double beta) {
  const auto matrices = [](const Array& m, const void* data) {
    return ProductCall::Matrices{const_cast<void*>(data), m.shape(), m.strides()};
  };
  const void *left = a.raw(), *right = b.raw();
  return {matrices(a, left), matrices(b, right), matrices(out, out.mutable_raw()), out.dtype(), alpha, beta};
}

}  // namespace

bool CudaBackend::multiply_by_library(const ProductCall& call, int index) {
  return with_device(index, [&](DeviceState& d) {
    const bool done = driver_->multiply(d.work_stream(*this), call);
    d.counts.calls += done && !Capturing::of(*this, index);
    return done;
  });
}

void CudaBackend::gemm(const Array& a, const Array& b, Array& out, double alpha, double beta) {
  if (out.size() == 0) return;
  const ProductCall call = product_call(a, b, out, alpha, beta);
  const int index = out.device().index();
  if (!multiply_by_library(call, index)) multiply_by_kernel(call, index);
}

void CudaBackend::gemm_bias(const Array& a, const Array& b, const Array& bias, Array& out) {
  if (out.size() == 0) return;
  if (a.shape()[1] && bias.is_contiguous()) {
    ProductCall call = product_call(a, b, out, 1, 0);
    call.bias = const_cast<void*>(bias.raw());
    if (multiply_by_library(call, out.device().index())) return;
  }
  Backend::gemm_bias(a, b, bias, out);
}

void CudaBackend::multiply_by_kernel(const ProductCall& c, int index) {
  const auto matrices = [&](const ProductCall::Matrices& m) {
    const int64_t bytes = item_size(c.dtype);
    const int axes = m.shape.ndim();
    return GemmArgs::Matrices{static_cast<char*>(m.data), axes == 3 ? m.strides[0] * bytes : 0,
                              m.strides[axes - 2] * bytes, m.strides[axes - 1] * bytes};
  };
  const int axes = c.a.shape.ndim();
  GemmArgs args{};
  args.a = matrices(c.a), args.b = matrices(c.b), args.out = matrices(c.out);
  args.type = type_of(c.dtype);
  args.m = c.a.shape[axes - 2], args.k = c.a.shape[axes - 1], args.n = c.b.shape[axes - 1];
  args.alpha = c.alpha, args.beta = c.beta;
  const auto tiles = [](int64_t n) { return static_cast<unsigned>((n + kGemmTile - 1) / kGemmTile); };
  const unsigned down = std::min(tiles(args.m), 65535u);
  // A launch processes at most 65535 matrices of a stack.
  for (int64_t first = 0, count = axes == 3 ? c.a.shape[0] : 1; first < count; first += 65535) {
    const auto n = static_cast<unsigned>(std::min<int64_t>(count - first, 65535));
    launch(index, kernel_for("gemm", c.dtype), {tiles(args.n), down, n}, {kGemmTile, kGemmTile, 1}, args);
    for (auto* m : {&args.a, &args.b, &args.out}) m->data += m->stack * 65535;
  }
}

}  // namespace chainer::cuda
