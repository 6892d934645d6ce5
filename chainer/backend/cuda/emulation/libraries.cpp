// SPDX-License-Identifier: MIT
// Replaces a device's libraries by the host's backend on emulated memory.
#include <chrono>
#include <cstdlib>
#include <functional>
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

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
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
  reinterpret_cast<Queue*>(stream)->add([=] {
    Array to = over(out, c.out, c.dtype);
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
  for (LibraryConvolution::Tensor* t : {&call.x, &call.w, &call.y}) t->data = opened(t->data);
  void* const room = workspace ? opened(workspace) : nullptr;
  reinterpret_cast<Queue*>(stream)->add(
      [library = convolutions_, call, room] { library->convolve(nullptr, call, room, seconds_of); });
}

std::optional<std::size_t> EmulatedDriver::fourier_workspace(Stream, const FourierCall& c) {
  const char* const chosen = std::getenv("CHAINER_CUFFT_LIBRARY");
  if (chosen && std::string_view(chosen) == "none") return {};
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

}  // namespace chainer::cuda::emulation
