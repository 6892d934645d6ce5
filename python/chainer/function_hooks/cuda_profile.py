# SPDX-License-Identifier: MIT
from chainer import function_hook
from chainer.backends import cuda


class CUDAProfileHook(function_hook.FunctionHook):
    """Marks functions for a GPU's profiler. Raises an error without a GPU."""

    name = 'CUDAProfileHook'

    def __init__(self):
        cuda.check_cuda_available()


class CupyMemoryProfileHook(function_hook.FunctionHook):
    """Measures the GPU memory used by functions. Raises an error without a GPU."""

    name = 'CupyMemoryProfileHook'

    def __init__(self):
        cuda.check_cuda_available()
