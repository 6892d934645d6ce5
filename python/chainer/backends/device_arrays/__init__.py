# SPDX-License-Identifier: MIT
"""Arrays on devices: NumPy's names over the routines of the library. This is the module `xp` of arrays on a GPU.

The functions of the array API standard (2024.12) are here under the names of NumPy and of the standard, except those on
complex numbers. Arrays are not converted implicitly: asarray(a) copies an array of NumPy to the current device, a.get()
and asnumpy(a) copy to the host.
"""
import functools as _functools
import types as _types

import numpy as _numpy

from chainer.backends.device_arrays import _methods  # NOQA (it adds the methods of ndarray)
from chainer.backends.device_arrays import cuda  # NOQA
from chainer.backends.device_arrays import linalg  # NOQA
from chainer.backends.device_arrays import random  # NOQA
from chainer.backends.device_arrays import testing  # NOQA
from chainer.backends.device_arrays import util  # NOQA
from chainer.backends.device_arrays._array import asnumpy, get_array_module, ndarray  # NOQA
from chainer.backends.device_arrays._creation import *  # NOQA
from chainer.backends.device_arrays._elementwise import *  # NOQA
from chainer.backends.device_arrays._files import *  # NOQA
from chainer.backends.device_arrays._host import *  # NOQA
from chainer.backends.device_arrays._information import *  # NOQA
from chainer.backends.device_arrays._kernels import *  # NOQA
from chainer.backends.device_arrays._linear import *  # NOQA
from chainer.backends.device_arrays._manipulation import *  # NOQA
from chainer.backends.device_arrays._reductions import *  # NOQA
from chainer.backends.device_arrays._searching import *  # NOQA
from chainer.backends.device_arrays._writes import *  # NOQA
from chainer.backends.device_arrays.cuda import get_default_memory_pool, get_default_pinned_memory_pool  # NOQA


def _of_both(name, function):
    @_functools.wraps(function)
    def call(a, *args, **kwargs):
        return getattr(_numpy if isinstance(a, _numpy.ndarray) else _this, name)(a, *args, **kwargs)
    return call


# In CuPy these functions call the method of the array, so that they also take arrays of NumPy and return such arrays.
_this = _types.SimpleNamespace()
for _name in ('all any amax amin argmax argmin argsort clip cumprod cumsum diagonal dot max mean min nonzero prod '
              'ravel repeat reshape sort squeeze std sum swapaxes take trace transpose var').split():
    setattr(_this, _name, globals()[_name])
    globals()[_name] = _of_both(_name, globals()[_name])
# (uint16, uint32 and uint64 are types of numbers for kernels; complex ones have no arrays.)
for _name in ('bool_', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float16', 'float32',
              'float64', 'complex64', 'complex128', 'generic', 'number', 'integer', 'signedinteger', 'unsignedinteger',
              'inexact', 'floating', 'complexfloating', 'byte', 'short', 'intc', 'int_', 'longlong', 'intp', 'ubyte',
              'ushort', 'uintc', 'uint', 'ulonglong', 'uintp', 'half', 'single', 'double', 'dtype', 'e', 'pi', 'inf',
              'nan', 'newaxis', 'euler_gamma', 'binary_repr', 'min_scalar_type'):
    globals()[_name] = getattr(_numpy, _name)
bool, float_ = _numpy.bool_, _numpy.float64
__version__ = '5.4.0'  # of the CuPy whose names these are
__array_api_version__ = '2024.12'
