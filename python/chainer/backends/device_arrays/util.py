# SPDX-License-Identifier: MIT
"""The names of cupy.util."""
from chainer.backends.device_arrays._kernels import clear_memo, memoize  # NOQA
