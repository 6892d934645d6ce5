// SPDX-License-Identifier: MIT
// Inverses, determinants and singular values: by kernels, one block for each matrix, and large ones by a library.
#include "chainer/backend/cuda/kernels/linalg.h"

#include <algorithm>

#include "chainer/array/operations/indices.h"
#include "chainer/backend/cuda/device_state.h"
#include "chainer/backend/cuda/spaces.h"
#include "chainer/core/error.h"

namespace chainer::cuda {
namespace {

// (A block of 1024 threads would have too few registers.)
Dim3 threads_of_matrix(int64_t elements) {
  return {static_cast<unsigned>(std::clamp<int64_t>((elements + 31) / 32 * 32, 32, 512)), 1, 1};
}
MatricesArgs matrices_args(Array& matrices) {
  MatricesArgs args{};
  args.matrices = static_cast<double*>(matrices.mutable_raw());
  args.count = matrices.shape()[0], args.n = matrices.shape()[1];
  return args;
}
std::size_t shared_of_rows(const MatricesArgs& a) { return static_cast<std::size_t>(a.n * MatricesArgs::kBytes); }

[[noreturn]] void fail_as_singular(int64_t, int64_t position, const IndexCheck&) {
  throw ValueError("inv: matrix ", position, " is singular");
}
[[noreturn]] void fail_to_converge(int64_t, int64_t position, const IndexCheck&) {
  throw RuntimeError("svd: cuSOLVER's gesvd did not converge for matrix ", position);
}
IndexCheck check_that(void (*fail)(int64_t, int64_t, const IndexCheck&)) {
  IndexCheck out;
  out.fail = fail;
  return out;
}

// A block computes a matrix, so that a few large matrices leave most of the device idle. The library, or the host, is
// faster for them. (Estimates for 132 blocks at a time.)
bool is_large(int64_t n, int64_t count) { return (n > 128 && n > 64 * count) || n > MatricesArgs::kMostRows; }
bool is_large_svd(int64_t k, int64_t length, int64_t count) {
  constexpr int64_t most = int64_t(1) << 24;
  return k * k > most * count / length;
}

double* numbers(Array& x) { return static_cast<double*>(x.mutable_raw()); }
int32_t* integers(Array& x) { return static_cast<int32_t*>(x.mutable_raw()); }

}  // namespace

// Returns room for solve(); an empty array if the library cannot do it.
Array CudaBackend::room_for(const SolverCall& call, const Device& device) {
  const std::optional<std::size_t> bytes =
      with_device(device.index(), [&](DeviceState& d) { return driver_->solver_workspace(d.stream, call); });
  if (!bytes) return Array();
  Capturing::refuse(*this, device.index(), "it decomposes a large matrix");
  return Array(Shape{static_cast<int64_t>(*bytes) + 1}, uint8, device);
}
void CudaBackend::solve(const SolverCall& call, Array& room) {
  void* const workspace = room.mutable_raw();
  with_device(room.device().index(), [&](DeviceState& d) {
    ++d.counts.calls;
    driver_->solve(d.stream, call, workspace);
  });
}
// Reports the first matrix with a positive SolverCall::info by `fail`, at the next wait.
void CudaBackend::check_solved(const Array& info, void (*fail)(int64_t, int64_t, const IndexCheck&)) {
  SolverInfoArgs args{};
  args.info = static_cast<const int32_t*>(info.raw()), args.count = info.shape()[0];
  with_device(info.device().index(), [&](DeviceState& d) {
    args.wrong = next_check(d, check_that(fail));
    const Threads t(args.count);
    launch(d.index, "check_solved", t.grid, t.block, args);
  });
}

// Decomposes all matrices of a stack in place (LU), or with `inverses`, which hold identity matrices, inverts them.
bool CudaBackend::factor_by_library(Array& matrices, Array& exchanged, Array& info, Array* inverses) {
  const int64_t count = matrices.shape()[0], n = matrices.shape()[1];
  SolverCall call{SolverCall::Kind::factors, n, n};
  Array room = room_for(call, matrices.device());
  if (!room) return false;
  for (int64_t i = 0; i < count; ++i) {
    call.a = numbers(matrices) + i * n * n, call.exchanged = integers(exchanged) + i * n;
    call.info = integers(info) + 2 * i, call.inverse = inverses ? numbers(*inverses) + i * n * n : nullptr;
    solve(call, room);
  }
  return true;
}
bool CudaBackend::invert_by_library(Array& matrices) {
  const int64_t count = matrices.shape()[0], n = matrices.shape()[1];
  const Device& device = matrices.device();
  try {
    Array a = matrices.copy(), exchanged({count, n}, int32, device), info({count, 2}, int32, device);
    Array inverses(a.shape(), float64, device);
    fill(inverses, 0);
    Array diagonal(ArrayBody::view(inverses.body_ref(), Shape{count, n}, Strides{n * n, n + 1}, 0));
    fill(diagonal, 1);
    if (!factor_by_library(a, exchanged, info, &inverses)) return false;
    copy_elements(inverses, matrices);
    check_solved(info, fail_as_singular);
  } catch (const MemoryError&) { return false; }
  return true;
}

// A singular matrix is reported at the next wait.
int64_t CudaBackend::invert(Array& matrices) {
  if (matrices.size() == 0) return -1;
  if (is_large(matrices.shape()[1], matrices.shape()[0]))
    return invert_by_library(matrices) ? -1 : Backend::invert(matrices);
  MatricesArgs args = matrices_args(matrices);
  with_device(matrices.device().index(), [&](DeviceState& d) {
    args.wrong = next_check(d, check_that(fail_as_singular));
    launch(d.index, "invert_matrices", {blocks_for(args.count), 1, 1}, threads_of_matrix(args.n * args.n), args,
           shared_of_rows(args));
  });
  return -1;
}

bool CudaBackend::determinants_by_library(Array& matrices, Array& out) {
  const int64_t count = matrices.shape()[0], n = matrices.shape()[1];
  const Device& device = matrices.device();
  try {
    Array exchanged({count, n}, int32, device), info({count, 2}, int32, device);
    if (!factor_by_library(matrices, exchanged, info, nullptr)) return false;
    MatricesArgs args = matrices_args(matrices);
    args.out = numbers(out), args.exchanged = integers(exchanged);
    const Threads t(count);
    launch(device.index(), "diagonal_products", t.grid, t.block, args);
  } catch (const MemoryError&) { return false; }
  return true;
}
void CudaBackend::determinants(Array& matrices, Array& out) {
  if (matrices.size() && is_large(matrices.shape()[1], matrices.shape()[0])) {
    if (!determinants_by_library(matrices, out)) Backend::determinants(matrices, out);
    return;
  }
  MatricesArgs args = matrices_args(matrices);
  args.out = numbers(out);
  if (args.count == 0) return;
  launch(out.device().index(), "determinants", {blocks_for(args.count), 1, 1}, threads_of_matrix(args.n * args.n), args,
         shared_of_rows(args));
}

// The library's u and vt are column-major, so their memory holds the transposed matrices.
bool CudaBackend::svd_by_library(const Array& a, Array& u, Array& s, Array& vt) {
  const int64_t count = a.shape()[0], m = a.shape()[1], n = a.shape()[2], k = std::min(m, n), length = std::max(m, n);
  const Device& device = a.device();
  SolverCall call{SolverCall::Kind::svd, length, k};
  const bool wide = m <= n;  // the memory of `a` is a column-major matrix of n >= m rows
  try {
    Array room = room_for(call, device);
    if (!room) return false;
    Array x({count, k, length}, float64, device), info({count, 2}, int32, device);
    Array long_side = wide ? vt : Array(x.shape(), float64, device);
    Array short_side = wide ? u : Array({count, k, k}, float64, device);
    copy_elements(wide ? a : a.transpose({0, 2, 1}), x);
    for (int64_t i = 0; i < count; ++i) {
      call.a = numbers(x) + i * k * length, call.u = numbers(long_side) + i * k * length;
      call.s = numbers(s) + i * k, call.vt = numbers(short_side) + i * k * k, call.info = integers(info) + 2 * i;
      solve(call, room);
    }
    check_solved(info, fail_to_converge);
    if (!wide) {
      copy_elements(long_side.transpose({0, 2, 1}), u);
      copy_elements(short_side.transpose({0, 2, 1}), vt);
    }
  } catch (const MemoryError&) { return false; }
  return true;
}

void CudaBackend::svd(const Array& a, Array& u, Array& s, Array& vt) {
  const int64_t count = a.shape()[0], m = a.shape()[1], n = a.shape()[2], k = std::min(m, n), length = std::max(m, n);
  const Device& device = a.device();
  if (is_large_svd(k, length, count)) {
    if (!svd_by_library(a, u, s, vt)) Backend::svd(a, u, s, vt);
    return;
  }
  Array rows({count, k, length}, float64, device), rotation({count, k, k}, float64, device),
      norms({count, k}, float64, device);
  copy_elements(m <= n ? a : a.transpose({0, 2, 1}), rows);
  SvdArgs args{};
  args.rows = numbers(rows), args.rotation = numbers(rotation), args.norms = numbers(norms), args.value = numbers(s);
  args.count = count, args.k = k, args.length = length;
  // The vectors are rows of vt and columns of u, of which one is long.
  if (m <= n) {
    args.long_side = numbers(vt), args.long_vector = n, args.long_element = 1;
    args.short_side = numbers(u), args.short_vector = 1, args.short_element = k;
  } else {
    args.long_side = numbers(u), args.long_vector = 1, args.long_element = k;
    args.short_side = numbers(vt), args.short_vector = n, args.short_element = 1;
  }
  const int64_t pairs = (k + 1) / 2;
  launch(device.index(), "svd_by_rotations", {blocks_for(count), 1, 1}, threads_of_matrix(32 * pairs), args);
}

}  // namespace chainer::cuda
