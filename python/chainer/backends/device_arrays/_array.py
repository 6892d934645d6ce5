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
    """Computes with NumPy on copies in the host's memory; resulting arrays are copied to the device.

    Arrays may also be keywords, or in lists and dictionaries.
    """
    found = []
    given, options = _fetched(args, found), _fetched(kwargs, found)
    return to_device(function(*given, **options), found[0] if found else None)


def _fetched(a, found):
    """Returns copies of the arrays in the host's memory; their devices are appended to the list `found`."""
    if isinstance(a, ndarray):
        found.append(a._device_id)
        return a._get()
    if type(a) is dict:
        return {key: _fetched(value, found) for key, value in a.items()}
    return type(a)([_fetched(value, found) for value in a]) if type(a) in (list, tuple) else a


def to_device(result, device_id):
    if isinstance(result, (tuple, list)):
        parts = [to_device(r, device_id) for r in result]
        return parts if isinstance(result, list) else tuple(parts)
    return send(result, device_id) if isinstance(result, (numpy.ndarray, numpy.generic)) else result


def in_columns(a, order):
    """Returns True if the order takes the first index as the one that changes fastest."""
    if order not in ('C', 'F', 'A', 'K', None):
        raise ValueError("order must be 'C', 'F', 'A' or 'K', not {!r}".format(order))
    return order == 'F' or order == 'A' and not a._is_contiguous and a._transpose(None)._is_contiguous


def ordered(a, order):
    """Returns an array whose elements are in C or F order in memory; by 'K' the array itself."""
    if in_columns(a, order):
        return a._transpose(None)._contiguous()._transpose(None)
    return a if order in ('K', None) else a._contiguous()


def axis_in(axis, ndim):
    """Returns the number of an axis, which may count from the end."""
    if not -ndim <= axis < ndim:
        raise _AxisError(axis, ndim)
    return axis % ndim


_AxisError = getattr(numpy, 'exceptions', numpy).AxisError


def finish(y, out=None):
    """Returns the result, or `out` with the elements of the result, which it must be able to hold as in NumPy."""
    if out is None:
        return y
    if isinstance(y, ndarray) and not numpy.can_cast(y.dtype, out.dtype, 'same_kind'):
        raise TypeError('the result of {} cannot be written to out of {}: its kind differs'.format(y.dtype, out.dtype))
    out[...] = y
    return out


def dtype_there(dtype):
    """Returns the dtype of arrays on devices that have the numbers of a dtype: wider ones for unsigned integers."""
    if dtype is None or isinstance(dtype, str) and dtype == 'bfloat16':
        return dtype
    dtype = numpy.dtype(dtype)
    if dtype.kind not in 'biufV' or dtype.itemsize > 8:
        raise TypeError('arrays on devices have booleans, integers and floating numbers, not {}'.format(dtype))
    return _WIDER.get(dtype.str[1:], dtype)


_WIDER = {'u2': numpy.dtype('i4'), 'u4': numpy.dtype('i8'), 'u8': numpy.dtype('i8')}


def floating(x):
    """Returns an array of integers or booleans in the dtype that functions of floating numbers give in NumPy."""
    if not isinstance(x, ndarray) or x.dtype.kind == 'f':
        return x
    return x.astype({1: numpy.float16, 2: numpy.float32}.get(x.dtype.itemsize, numpy.float64))


def cast(x, dtype):
    """Returns an array in another dtype, if one is given."""
    return x.astype(dtype, copy=False) if dtype is not None and isinstance(x, ndarray) else x
