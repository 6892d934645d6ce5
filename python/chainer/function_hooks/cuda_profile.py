from chainer import function_hook
from chainer.backends import cuda


class CUDAProfileHook(function_hook.FunctionHook):
    """Marks functions for a GPU's profiler: an error where there is no GPU."""

    name = 'CUDAProfileHook'

    def __init__(self):
        cuda.check_cuda_available()


class CupyMemoryProfileHook(function_hook.FunctionHook):
    """Measures the memory that functions take of a GPU: an error where there is no GPU."""

    name = 'CupyMemoryProfileHook'

    def __init__(self):
        cuda.check_cuda_available()
