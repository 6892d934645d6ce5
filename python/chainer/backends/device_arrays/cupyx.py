# SPDX-License-Identifier: MIT
"""The functions of CuPy that NumPy lacks, with the names of the package cupyx."""
from chainer.backends.device_arrays import _elementwise
from chainer.backends.device_arrays._writes import scatter_add  # NOQA


def rsqrt(x, out=None):
    """Returns 1 / sqrt(x)."""
    return _elementwise.reciprocal(_elementwise.sqrt(x), out)
