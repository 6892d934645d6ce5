// SPDX-License-Identifier: MIT
// The calls of CudaDriver to NVIDIA's libraries, each of which is opened when a device first needs it.
#include <cstdlib>
#include <string_view>
#include <utility>

#include "chainer/backend/cuda/driver_cuda_use.h"
#include "chainer/core/warnings.h"

namespace chainer::cuda {
namespace {

// Warns that a library is not used, unless its variable says "none" or it `was_said` before.
void say_missing(bool& was_said, const char* variable, const char* library, const char* effect) {
  const char* const chosen = std::getenv(variable);
  if (std::exchange(was_said, true) || (chosen && std::string_view(chosen) == "none")) return;
  warn(text(library, " was not found or could not be initialized, so ", effect,
            "; it is part of CUDA and a package of Python; ", variable,
            " names its file, or none for no warning (chainer info shows what was found)"));
}

}  // namespace

bool CudaDriver::multiply(Stream s, const ProductCall& call) {
  const Use current(*this, of(s).device);
  OneDevice& d = *current;
  if (!d.asked_for_products) {
    d.asked_for_products = true;
    d.products = CublasLt::open();
    if (!d.products)
      say_missing(products_are_missing_, "CHAINER_CUBLASLT_LIBRARY", "cuBLASLt (libcublasLt.so.13 or .12)",
                  "products of matrices are slow");
    CuAddress room = 0;
    if (d.products && cu_.allocate(&room, CublasLt::kWorkspace) == 0) d.workspace = reinterpret_cast<void*>(room);
  }
  if (!d.products || !d.products->multiply(of(s).handle, call, d.workspace)) return false;
  if (blocking_) synchronize(s);
  return true;
}

Cudnn* CudaDriver::cudnn_of(OneDevice& d) {
  if (!d.asked_for_cudnn) {
    d.asked_for_cudnn = true;
    d.cudnn = Cudnn::open();
    if (d.cudnn)
      d.recurrent = CudnnRnn::open(*d.cudnn);
    else
      say_missing(cudnn_is_missing_, "CHAINER_CUDNN_LIBRARY", "cuDNN (libcudnn.so.9)",
                  "convolutions and recurrent networks are slow");
  }
  return d.cudnn.get();
}
std::optional<std::size_t> CudaDriver::convolution_workspace(Stream s, const LibraryConvolution& call) {
  const Use current(*this, of(s).device);
  OneDevice& d = *current;
  Cudnn* const cudnn = cudnn_of(d);
  if (!cudnn) return {};
  if (cudnn->plans() >= Cudnn::kMostPlans && d.graphs == 0 && !d.captures) {
    synchronize(s);
    cudnn->forget_plans();
  }
  return cudnn->workspace(call);
}
void CudaDriver::convolve(Stream s, const LibraryConvolution& call, void* workspace) {
  const Use current(*this, of(s).device);
  const auto time = [&](const std::function<void()>& work) {
    if (!current->begins) {
      expect_success(cu_.make_event(&current->begins, 0), "cuEventCreate");
      expect_success(cu_.make_event(&current->ends, 0), "cuEventCreate");
    }
    expect_success(cu_.record(current->begins, of(s).handle), "cuEventRecord");
    work();
    expect_success(cu_.record(current->ends, of(s).handle), "cuEventRecord");
    expect_success(cu_.synchronize_event(current->ends), "cuEventSynchronize");
    float milliseconds = 0;
    expect_success(cu_.time_between(&milliseconds, current->begins, current->ends), "cuEventElapsedTime");
    return milliseconds * 1e-3;
  };
  current->cudnn->convolve(of(s).handle, call, workspace, call.tune ? Cudnn::Timer(time) : Cudnn::Timer());
  if (blocking_) synchronize(s);
}

std::optional<std::size_t> CudaDriver::fourier_workspace(Stream s, const FourierCall& call) {
  const Use current(*this, of(s).device);
  OneDevice& d = *current;
  if (!d.asked_for_fourier) {
    d.asked_for_fourier = true;
    d.fourier = Cufft::open();
    if (!d.fourier)
      say_missing(fourier_is_missing_, "CHAINER_CUFFT_LIBRARY", "cuFFT (libcufft.so.12 or .11)",
                  "Fourier transforms are computed on the host");
  }
  if (!d.fourier) return {};
  if (d.captures && !d.fourier->has_plan(call)) return {};  // making a plan cannot be captured
  if (d.fourier->plans() >= Cufft::kMostPlans && d.graphs == 0 && !d.captures) {
    synchronize(s);
    d.fourier->forget_plans();
  }
  return d.fourier->workspace(call);
}
void CudaDriver::transform(Stream s, const FourierCall& call, void* workspace) {
  const Use current(*this, of(s).device);
  current->fourier->transform(of(s).handle, call, workspace);
  if (blocking_) synchronize(s);
}

// Without the library kernels do its work, more slowly: nothing is missing.
std::optional<std::size_t> CudaDriver::solver_workspace(Stream s, const SolverCall& call) {
  const Use current(*this, of(s).device);
  OneDevice& d = *current;
  if (!std::exchange(d.asked_for_solver, true)) d.solver = Cusolver::open();
  return d.solver ? d.solver->workspace(call) : std::nullopt;
}
void CudaDriver::solve(Stream s, const SolverCall& call, void* workspace) {
  const Use current(*this, of(s).device);
  current->solver->solve(of(s).handle, call, workspace);
  if (blocking_) synchronize(s);
}

std::optional<std::size_t> CudaDriver::recurrent_workspace(Stream s, const RecurrentLayer& layer,
                                                           RecurrentSpaces* spaces) {
  const Use current(*this, of(s).device);
  OneDevice& d = *current;
  if (!cudnn_of(d) || !d.recurrent) return {};
  if (spaces && d.recurrent->plans() >= CudnnRnn::kMostPlans && d.graphs == 0 && !d.captures) {
    synchronize(s);
    d.recurrent->forget_plans();
  }
  return d.recurrent->workspace(layer, spaces, [&](std::size_t bytes, const std::function<void(void*)>& use) {
    CuAddress memory = 0;
    const CuResult r = cu_.allocate(&memory, bytes);
    if (r == kCuOutOfMemory) return false;
    expect_success(r, "cuMemAlloc");
    try {
      use(reinterpret_cast<void*>(memory));
    } catch (...) {
      cu_.release(memory);
      throw;
    }
    cu_.release(memory);
    return true;
  });
}
void CudaDriver::recurrent_forward(Stream s, const RecurrentCall& call) {
  const Use current(*this, of(s).device);
  current->recurrent->forward(of(s).handle, call);
  if (blocking_) synchronize(s);
}
void CudaDriver::recurrent_backward(Stream s, const RecurrentCall& call) {
  const Use current(*this, of(s).device);
  current->recurrent->backward(of(s).handle, call);
  if (blocking_) synchronize(s);
}

}  // namespace chainer::cuda
