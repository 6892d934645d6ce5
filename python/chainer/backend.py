# SPDX-License-Identifier: MIT
"""Array modules: NumPy for arrays on the host, chainer.backends.cuda.cupy for arrays on a device."""
import numpy

import chainer
from chainer.backends import cuda
from chainer.backends.cuda import get_array_module, get_device_from_array  # NOQA


def copyto(dst, src):
    """Copies the elements of an array into another array, which may be on another device."""
    if isinstance(dst, cuda.ndarray):
        dst[...] = src
    elif isinstance(dst, numpy.ndarray):
        numpy.copyto(dst, cuda.to_cpu(src) if isinstance(src, cuda.ndarray) else src)
    else:
        raise TypeError('cannot copy from {} to {}'.format(type(src), type(dst)))


def to_numpy(array):
    """Returns an array or the array of a Variable on the host."""
    if isinstance(array, chainer.Variable):
        array = array.array
    return array.get() if isinstance(array, cuda.ndarray) else numpy.asarray(array)
