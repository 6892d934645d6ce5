# SPDX-License-Identifier: MIT
"""The class of arrays on devices, and arguments that are such arrays."""
import numpy

from chainer import _core

devices = _core.devices
ndarray = _core.ndarray
ndarray.__module__, ndarray.__qualname__ = 'chainer.backends.cuda', 'ndarray'


def asnumpy(a, stream=None):
    """Returns a copy of an array in the host's memory; other objects are converted by numpy.asarray()."""
    return a.get() if isinstance(a, ndarray) else numpy.asarray(a)


def get_array_module(*args):
    """Returns the module of arrays on devices if one of the arguments is one, else NumPy."""
    if any([isinstance(a, ndarray) for a in args]):
        from chainer.backends import device_arrays
        return device_arrays
    return numpy


def send(a, device_id=None):
    """Returns a copy of an array of NumPy on a device, by default on the current one."""
    return devices.send(numpy.asarray(a), devices.current() if device_id is None else device_id)


def through_host(function, *args, **kwargs):
    """Computes with NumPy on copies in the host's memory; resulting arrays are copied to the device."""
    given = [asnumpy(a) if isinstance(a, ndarray) else a for a in args]
    first = next((a for a in args if isinstance(a, ndarray)), None)
    return to_device(function(*given, **kwargs), None if first is None else first._device_id)


def to_device(result, device_id):
    if isinstance(result, tuple):
        return tuple([to_device(r, device_id) for r in result])
    return send(result, device_id) if isinstance(result, (numpy.ndarray, numpy.generic)) else result


def finish(y, out=None):
    """Returns the result, or `out` with the elements of the result."""
    if out is None:
        return y
    out[...] = y
    return out


def cast(x, dtype):
    """Returns an array in another dtype, if one is given."""
    return x.astype(dtype, copy=False) if dtype is not None and isinstance(x, ndarray) else x
