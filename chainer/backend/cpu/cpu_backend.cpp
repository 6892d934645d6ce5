// SPDX-License-Identifier: MIT
#include "chainer/backend/cpu/cpu_backend.h"

#include <cstring>

#include "chainer/backend/cpu/compiled/plan.h"
#include "chainer/backend/cpu/kernels/bfloat_table.h"
#include "chainer/backend/cpu/products/blas.h"

namespace chainer {
namespace {
// Constant-initialized, so that arrays may be created before main(); never destroyed, because arrays may outlive
// main().
union Host {
  cpu::CpuBackend backend;
  constexpr Host() : backend() {}
  constexpr ~Host() {}
};
constinit Host host;
}  // namespace
constinit Backend* const kHostBackend = &host.backend;

namespace cpu {

Compute floating_compute_type(Dtype d, std::string_view operation) {
  if (!is_floating(d)) throw DtypeError(operation, ": the dtype must be floating, not ", d);
  return compute_type(d);
}

void CpuBackend::host_to_device(int, void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
void CpuBackend::device_to_host(int, void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

void CpuBackend::convolution(const ConvolutionCall& call) {
  if (HostConvolution* const known = host_convolution.load(std::memory_order_relaxed)) return known(call);
  Backend::convolution(call);
}

std::string CpuBackend::description() const {
  const Blas* library = blas();
  const BfloatKernels* const bfloat = bfloat_kernels();
  return text("instruction set: ", kernels().name, "\nproducts of bfloat16: ", bfloat ? bfloat->name : "in float32",
              "\nelementwise loops: ", loops_in_use(), "\noneDNN: ", onednn_state(), "\nBLAS: ",
              library
                  ? text(library->description, ", built for ", library->threading, ", used with one thread per call")
                  : "not available",
              "\nLAPACK: ", library && library->dgesdd ? "in BLAS" : "not available");
}

}  // namespace cpu
}  // namespace chainer
