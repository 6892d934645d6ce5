// SPDX-License-Identifier: MIT
// Replaces a device's libraries by the host's backend on emulated memory.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include "chainer/array/backend.h"
#include "chainer/array/host_kernels/fourier.h"
#include "chainer/backend/cuda/emulation/driver_emulated.h"
#include "chainer/backend/cuda/nccl.h"

namespace chainer::cuda::emulation {
namespace {

// Returns an array of the host on memory that it does not own.
Array over(void* data, const ProductCall::Matrices& m, Dtype dtype) {
  Ref<ArrayBody> body = make_ref<ArrayBody>(m.shape, dtype, Device(), m.shape.product());
  body->set_strides(m.strides);
  body->data = static_cast<char*>(data);
  return Array(std::move(body));
}

bool is_none(const char* variable) {
  const char* const chosen = std::getenv(variable);
  return chosen && std::string_view(chosen) == "none";
}

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The LU decomposition of a column-major matrix, in place. Returns false if it is singular.
bool factor_columns(double* a, int32_t* exchanged, int64_t n) {
  bool regular = true;
  for (int64_t k = 0; k < n; ++k) {
    int64_t p = k;
    for (int64_t i = k + 1; i < n; ++i)
      if (std::abs(a[i + k * n]) > std::abs(a[p + k * n])) p = i;
    exchanged[k] = static_cast<int32_t>(p) + 1;
    regular = regular && a[p + k * n] != 0;
    if (a[p + k * n] == 0) continue;
    for (int64_t j = 0; j < n; ++j) std::swap(a[k + j * n], a[p + j * n]);
    for (int64_t i = k + 1; i < n; ++i) a[i + k * n] /= a[k + k * n];
    for (int64_t j = k + 1; j < n; ++j)
      for (int64_t i = k + 1; i < n; ++i) a[i + j * n] -= a[i + k * n] * a[k + j * n];
  }
  return regular;
}
// Replaces the columns of b by the solutions x of a x = b, from the decomposition of a.
void substitute(const double* a, const int32_t* exchanged, double* b, int64_t n) {
  for (double* x = b; x < b + n * n; x += n) {
    for (int64_t k = 0; k < n; ++k) std::swap(x[k], x[exchanged[k] - 1]);
    for (int64_t k = 0; k < n; ++k)
      for (int64_t i = k + 1; i < n; ++i) x[i] -= a[i + k * n] * x[k];
    for (int64_t k = n - 1; k >= 0; --k) {
      x[k] /= a[k + k * n];
      for (int64_t i = 0; i < k; ++i) x[i] -= a[i + k * n] * x[k];
    }
  }
}

// `room` has four parts of n * rows numbers.
template <class T>
void transform_pairs(T* pairs, T* room, const FourierCall& c) {
  const int64_t size = c.n * c.rows;
  T *const re = room + 2 * size, *const im = room + 3 * size;
  for (int64_t i = 0; i < size; ++i) room[i] = pairs[2 * i], room[size + i] = pairs[2 * i + 1];
  host_kernels::fourier({.xr = room, .xi = room + size, .yr = re, .yi = im, .rows = c.rows, .n = c.n}, c.inverse, 1);
  for (int64_t i = 0; i < size; ++i) pairs[2 * i] = re[i], pairs[2 * i + 1] = im[i];
}

}  // namespace

bool EmulatedDriver::multiply(Stream stream, const ProductCall& c) {
  if (!is_floating(c.dtype)) return false;
  expect_no_failure("product");
  void *a = opened(c.a.data), *b = opened(c.b.data), *out = opened(c.out.data);
  void* const bias = c.bias ? opened(c.bias) : nullptr;
  reinterpret_cast<Queue*>(stream)->add([=] {
    Array to = over(out, c.out, c.dtype);
    if (bias)
      return kHostBackend->gemm_bias(over(a, c.a, c.dtype), over(b, c.b, c.dtype),
                                     over(bias, {bias, {c.out.shape[1]}, {1}}, c.dtype), to);
    kHostBackend->gemm(over(a, c.a, c.dtype), over(b, c.b, c.dtype), to, c.alpha, c.beta);
  });
  return true;
}

std::shared_ptr<const Nccl> EmulatedDriver::groups() {
  const char* const chosen = std::getenv("CHAINER_NCCL_LIBRARY");  // (NVIDIA's library needs devices)
  static const std::shared_ptr<const Nccl> found = chosen ? Nccl::open() : nullptr;
  return found;
}
void* EmulatedDriver::join_group(int, const std::string& key, int rank, int size) {
  return groups()->join(key, rank, size);
}
void EmulatedDriver::sum_over(Stream stream, void* group, void* data, int64_t count, Dtype dtype) {
  expect_no_failure("sum over devices");
  reinterpret_cast<Queue*>(stream)->add(
      [=, library = groups(), at = opened(data)] { library->sum(group, at, count, dtype, nullptr); });
}

std::optional<std::size_t> EmulatedDriver::convolution_workspace(Stream, const LibraryConvolution& call) {
  return convolutions_ ? convolutions_->workspace(call) : std::nullopt;
}
void EmulatedDriver::convolve(Stream stream, const LibraryConvolution& c, void* workspace) {
  expect_no_failure("convolution");
  LibraryConvolution call = c;
  for (LibraryConvolution::Tensor* t : {&call.x, &call.w, &call.y, &call.bias})
    if (t->is_given()) t->data = opened(t->data);
  void* const room = workspace ? opened(workspace) : nullptr;
  reinterpret_cast<Queue*>(stream)->add(
      [library = convolutions_, call, room] { library->convolve(nullptr, call, room, seconds_of); });
}

std::optional<std::size_t> EmulatedDriver::fourier_workspace(Stream, const FourierCall& c) {
  if (is_none("CHAINER_CUFFT_LIBRARY")) return {};
  return static_cast<std::size_t>(4 * c.n * c.rows * item_size(c.dtype));
}
void EmulatedDriver::transform(Stream stream, const FourierCall& call, void* workspace) {
  expect_no_failure("Fourier transform");
  reinterpret_cast<Queue*>(stream)->add([call, data = opened(call.data), room = opened(workspace)] {
    if (call.dtype == Dtype::float64)
      transform_pairs(reinterpret_cast<double*>(data), reinterpret_cast<double*>(room), call);
    else
      transform_pairs(reinterpret_cast<float*>(data), reinterpret_cast<float*>(room), call);
  });
}

std::optional<std::size_t> EmulatedDriver::solver_workspace(Stream, const SolverCall& c) {
  if (is_none("CHAINER_CUSOLVER_LIBRARY")) return {};
  return sizeof(double) * static_cast<std::size_t>(c.columns);
}
// Column-major memory is row-major memory of the transposed matrix, of which u and vt are exchanged.
void EmulatedDriver::solve(Stream stream, const SolverCall& c, void* workspace) {
  expect_no_failure("decomposition");
  SolverCall call = c;
  for (double** p : {&call.a, &call.inverse, &call.u, &call.s, &call.vt})
    if (*p) *p = reinterpret_cast<double*>(opened(*p));
  call.info = reinterpret_cast<int32_t*>(opened(c.info));
  call.exchanged = c.exchanged ? reinterpret_cast<int32_t*>(opened(c.exchanged)) : nullptr;
  const auto room = reinterpret_cast<double*>(opened(workspace));
  reinterpret_cast<Queue*>(stream)->add([call, room] {
    const int64_t m = call.columns, n = call.rows;
    const auto matrices = [](double* data, const Shape& shape) {
      return over(data, {data, shape, contiguous_strides(shape)}, Dtype::float64);
    };
    std::fill_n(room, m, std::numeric_limits<double>::quiet_NaN());
    if (call.kind == SolverCall::Kind::factors) {
      call.info[0] = !factor_columns(call.a, call.exchanged, n);
      if (call.inverse) substitute(call.a, call.exchanged, call.inverse, n);
      return;
    }
    const Array a = matrices(call.a, {1, m, n});
    Array u = matrices(call.vt, {1, m, m}), s = matrices(call.s, {1, m}), vt = matrices(call.u, {1, m, n});
    try {
      kHostBackend->svd(a.copy(), u, s, vt);
      call.info[0] = std::isnan(*call.s);
    } catch (const RuntimeError&) { call.info[0] = 1; }  // no convergence
    std::fill_n(call.a, m * n, std::numeric_limits<double>::quiet_NaN());
  });
}

}  // namespace chainer::cuda::emulation
