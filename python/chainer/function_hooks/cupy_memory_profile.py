# SPDX-License-Identifier: MIT
"""An alias with the release's name."""
from chainer.backends import cuda
from chainer.function_hooks.cuda_profile import CupyMemoryProfileHook  # NOQA

memory_hook_available = False


class CupyMemoryCumulativeHook(object):
    """Adds up the memory that CuPy allocates. Raises an error without a GPU."""

    name = 'CupyMemoryCumulativeHook'

    def __init__(self):
        cuda.check_cuda_available()
