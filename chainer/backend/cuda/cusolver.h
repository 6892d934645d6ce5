// SPDX-License-Identifier: MIT
// Inverses and singular values of large matrices by NVIDIA's cuSOLVER, which is opened at run time and not needed to
// build.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "chainer/backend/cuda/driver.h"
#include "chainer/backend/cuda/libcuda.h"

namespace chainer::cuda {

// X(member, name in the library, parameters)
#define CHAINER_CUSOLVER(X)                                                                                       \
  X(create, cusolverDnCreate, (void** handle))                                                                    \
  X(destroy, cusolverDnDestroy, (void* handle))                                                                   \
  X(set_stream, cusolverDnSetStream, (void* handle, CuHandle stream))                                             \
  X(room_to_factor, cusolverDnDgetrf_bufferSize, (void* handle, int m, int n, double* a, int lda, int* room))     \
  X(factor, cusolverDnDgetrf,                                                                                     \
    (void* handle, int m, int n, double* a, int lda, double* room, int* exchanged, int* info))                    \
  X(solve, cusolverDnDgetrs,                                                                                      \
    (void* handle, int transposed, int n, int columns, const double* a, int lda, const int* exchanged, double* b, \
     int ldb, int* info))                                                                                         \
  X(room_to_decompose, cusolverDnDgesvd_bufferSize, (void* handle, int m, int n, int* room))                      \
  X(decompose, cusolverDnDgesvd,                                                                                  \
    (void* handle, signed char of_u, signed char of_vt, int m, int n, double* a, int lda, double* s, double* u,   \
     int ldu, double* vt, int ldvt, double* room, int room_size, double* real_room, int* info))

/// The library for one device, whose context must be current at each call.
class Cusolver {
 public:
  /// Opens CHAINER_CUSOLVER_LIBRARY, or libcusolver.so.12 or .11. Returns null if there is none, if the variable is
  /// "none", or if the library cannot be initialized.
  static std::unique_ptr<Cusolver> open();
  /// Returns "cuSOLVER 12.0.4 (libcusolver.so.12)", the version and the name with which it is opened; empty if there is
  /// none.
  static std::string description();
  Cusolver(const Cusolver&) = delete;
  Cusolver& operator=(const Cusolver&) = delete;
  ~Cusolver();

  /// Returns the bytes of workspace that solve() needs; nothing if the matrix is too large for the library.
  std::optional<std::size_t> workspace(const SolverCall& call);
  /// Throws DeviceError with the library's status.
  void solve(CuHandle stream, const SolverCall& call, void* workspace);

 private:
  struct Functions {
#define X(MEMBER, NAME, PARAMETERS) int(*MEMBER) PARAMETERS = nullptr;
    CHAINER_CUSOLVER(X)
#undef X
  };
  explicit Cusolver(const Functions& f) : f_(f) {}
  void expect_success(int status, const char* name, const SolverCall& call) const;

  Functions f_;
  void* handle_ = nullptr;
};

}  // namespace chainer::cuda
