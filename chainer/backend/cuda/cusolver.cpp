// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/cusolver.h"

#include <limits>
#include <utility>

#include "chainer/backend/cuda/libraries.h"

namespace chainer::cuda {

std::unique_ptr<Cusolver> Cusolver::open() {
  return open_library("CHAINER_CUSOLVER_LIBRARY", {"libcusolver.so.12", "libcusolver.so.11"},
                      [](void* library, const std::string&) -> std::unique_ptr<Cusolver> {
                        Functions f;
                        bool all = true;
#define X(MEMBER, NAME, PARAMETERS) all = find_function(library, #NAME, f.MEMBER) && all;
                        CHAINER_CUSOLVER(X)
#undef X
                        if (!all) return nullptr;
                        std::unique_ptr<Cusolver> made(new Cusolver(f));
                        return f.create(&made->handle_) == 0 ? std::move(made) : nullptr;
                      });
}
std::string Cusolver::description() {
  return library_description("cuSOLVER", "cusolverGetVersion", "CHAINER_CUSOLVER_LIBRARY",
                             {"libcusolver.so.12", "libcusolver.so.11"});
}
Cusolver::~Cusolver() {
  if (handle_) f_.destroy(handle_);
}

void Cusolver::expect_success(int status, const char* name, const SolverCall& call) const {
  if (status != 0)
    throw DeviceError(name, ": status ", status, " for a matrix of ", call.rows, " x ", call.columns, " of float64");
}

std::optional<std::size_t> Cusolver::workspace(const SolverCall& call) {
  constexpr int64_t most = std::numeric_limits<int>::max();
  if (call.rows > most / call.columns) return {};
  const int m = static_cast<int>(call.rows), n = static_cast<int>(call.columns);
  int room = 0;
  const int status = call.kind == SolverCall::Kind::factors
                         ? f_.room_to_factor(handle_, m, n, static_cast<double*>(call.a), m, &room)
                         : f_.room_to_decompose(handle_, m, n, &room);
  if (status != 0) return {};
  return static_cast<std::size_t>(room) * sizeof(double);
}

void Cusolver::solve(CuHandle stream, const SolverCall& call, void* workspace) {
  const int m = static_cast<int>(call.rows), n = static_cast<int>(call.columns);
  auto* const room = static_cast<double*>(workspace);
  expect_success(f_.set_stream(handle_, stream), "cusolverDnSetStream", call);
  if (call.kind == SolverCall::Kind::factors) {
    expect_success(f_.factor(handle_, n, n, call.a, n, room, call.exchanged, call.info), "cusolverDnDgetrf", call);
    if (!call.inverse) return;
    // getrs() reports wrong arguments only, to a place of its own: the singular matrix is what getrf() found.
    expect_success(f_.solve(handle_, 0, n, n, call.a, n, call.exchanged, call.inverse, n, call.info + 1),
                   "cusolverDnDgetrs", call);
    return;
  }
  int size = 0;
  expect_success(f_.room_to_decompose(handle_, m, n, &size), "cusolverDnDgesvd_bufferSize", call);
  expect_success(
      f_.decompose(handle_, 'S', 'S', m, n, call.a, m, call.s, call.u, m, call.vt, n, room, size, nullptr, call.info),
      "cusolverDnDgesvd", call);
}

}  // namespace chainer::cuda
