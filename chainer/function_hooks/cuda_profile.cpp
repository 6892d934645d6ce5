// SPDX-License-Identifier: MIT
#include "chainer/backend/devices.h"
#include "chainer/function_hooks/function_hooks.h"

namespace chainer::function_hooks {

CUDAProfileHook::CUDAProfileHook() {
  begin_profiled_range("CUDAProfileHook");
  end_profiled_range();
}
void CUDAProfileHook::forward_preprocess(FunctionNode& f, const Arrays&) {
  begin_profiled_range(f.label() + ".forward");
}
void CUDAProfileHook::forward_postprocess(FunctionNode&, const Arrays&) { end_profiled_range(); }
void CUDAProfileHook::backward_preprocess(FunctionNode& f, const Arrays&, const Arrays&) {
  begin_profiled_range(f.label() + ".backward");
}
void CUDAProfileHook::backward_postprocess(FunctionNode&, const Arrays&, const Arrays&) { end_profiled_range(); }
void CUDAProfileHook::aborted(FunctionNode&) noexcept { end_profiled_range(); }

}  // namespace chainer::function_hooks
