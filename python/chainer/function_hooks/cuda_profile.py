# SPDX-License-Identifier: MIT
from chainer import function_hook
from chainer.backends import cuda
from chainer.function_hooks.cupy_memory_profile import CupyMemoryProfileHook  # NOQA


class CUDAProfileHook(function_hook.FunctionHook):
    """Marks functions for NVIDIA's profilers by NVTX. Raises an error without a GPU or the library of NVTX."""

    name = 'CUDAProfileHook'

    def __init__(self):
        cuda.check_cuda_available()
        if not cuda.cupy.cuda.nvtx_enabled:
            raise RuntimeError('CUDAProfileHook: NVTX is not available (libnvtx3interop.so.1 or libnvToolsExt.so.1)')

    def forward_preprocess(self, function, in_data):
        cuda.cupy.cuda.nvtx.RangePush(function.label + '.forward')

    def forward_postprocess(self, function, in_data):
        cuda.cupy.cuda.nvtx.RangePop()

    def backward_preprocess(self, function, in_data, out_grad):
        cuda.cupy.cuda.nvtx.RangePush(function.label + '.backward')

    def backward_postprocess(self, function, in_data, out_grad):
        cuda.cupy.cuda.nvtx.RangePop()
