# SPDX-License-Identifier: MIT
from chainer.function_hooks import cupy_memory_profile  # NOQA
from chainer.function_hooks.cuda_profile import CUDAProfileHook, CupyMemoryProfileHook  # NOQA
from chainer.function_hooks.timer import TimerHook  # NOQA
from chainer.function_hooks.debug_print import PrintHook  # NOQA
