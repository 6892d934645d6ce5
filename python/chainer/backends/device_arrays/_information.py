# SPDX-License-Identifier: MIT
"""Dtypes, and what the module describes of itself."""
import numpy

from chainer.backends.device_arrays._array import ndarray

__all__ = ['finfo', 'iinfo', 'can_cast', 'result_type', 'promote_types', 'isdtype', 'issubdtype', 'isscalar',
           'common_type', '__array_namespace_info__']
finfo, iinfo, promote_types, issubdtype, isscalar = (
    numpy.finfo, numpy.iinfo, numpy.promote_types, numpy.issubdtype, numpy.isscalar)
_DTYPES = ('bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'float32', 'float64')
_KINDS = {'bool': 'b', 'signed integer': 'i', 'unsigned integer': 'u', 'integral': 'iu', 'real floating': 'f',
          'complex floating': 'c', 'numeric': 'iufc'}


def _described(a):
    return a.dtype if isinstance(a, ndarray) else a


def can_cast(from_, to, casting='safe'):
    return numpy.can_cast(_described(from_), _described(to), casting)


def result_type(*arrays_and_dtypes):
    """Returns the dtype of an operation between arrays, dtypes and numbers."""
    return numpy.result_type(*[_described(a) for a in arrays_and_dtypes])


def common_type(*arrays):
    return numpy.result_type(numpy.float16, *[a.dtype for a in arrays]).type


def isdtype(dtype, kind):
    """Returns True if a dtype is one of the kinds, which are names of the standard or dtypes."""
    dtype = numpy.dtype(dtype)
    return any([dtype.kind in _KINDS[k] if k in _KINDS else dtype == k
                for k in (kind if isinstance(kind, tuple) else (kind,))])


class _Info(object):
    def capabilities(self):
        return {'boolean indexing': True, 'data-dependent shapes': True, 'max dimensions': 10}

    def default_device(self):
        from chainer.backends.device_arrays.cuda import Device
        return Device()

    def devices(self):
        from chainer.backends.device_arrays import cuda
        return [cuda.Device(i) for i in range(cuda.runtime.getDeviceCount())]

    def default_dtypes(self, device=None):
        return {'real floating': numpy.dtype('float64'), 'complex floating': numpy.dtype('complex128'),
                'integral': numpy.dtype('int64'), 'indexing': numpy.dtype('int64')}

    def dtypes(self, device=None, kind=None):
        return {name: numpy.dtype(name) for name in _DTYPES if kind is None or isdtype(name, kind)}


def __array_namespace_info__():
    """Returns what the array API standard asks of a module: capabilities, devices and dtypes."""
    return _Info()
