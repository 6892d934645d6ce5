# SPDX-License-Identifier: MIT
"""Creation of arrays on the current device."""
import sys

import numpy

from chainer.backends.device_arrays._array import devices, dtype_there, ndarray, ordered, send, through_host
from chainer.backends.device_arrays._flat import Flat

__all__ = ['empty', 'zeros', 'ones', 'full', 'empty_like', 'zeros_like', 'ones_like', 'full_like', 'array', 'asarray',
           'asanyarray', 'ascontiguousarray', 'asfortranarray', 'copy', 'arange', 'linspace', 'logspace', 'eye',
           'identity', 'diag', 'diagflat', 'meshgrid', 'tril', 'triu', 'tri', 'fromiter', 'frombuffer', 'from_dlpack',
           'fromDlpack', 'indices']


def _current(device):
    """Returns the number of a device given by its number or as an object; None is the current one."""
    return devices.current() if device is None else int(device)


def _on(device, make):
    if device is None:
        return make()
    from chainer.backends.device_arrays.cuda import Device
    with Device(int(device)):
        return make()


def _shaped(shape, order, make):
    if order == 'F' and isinstance(shape, (tuple, list)):
        return make(tuple(shape)[::-1])._transpose(None)
    return make(shape)


def empty(shape, dtype=float, order='C', device=None):
    """Returns an array with undefined elements."""
    return _on(device, lambda: _shaped(shape, order, lambda s: devices.empty(s, dtype_there(dtype or float))))


def full(shape, fill_value, dtype=None, order='C', device=None):
    """Returns an array with one value; its dtype is the value's by default."""
    if dtype is None:
        dtype = fill_value.dtype if hasattr(fill_value, 'dtype') else numpy.array(fill_value).dtype
        if dtype.kind not in 'biuf' or dtype == numpy.uint64:
            raise TypeError('full: {!r} is not a number that arrays on devices have'.format(fill_value))
    return _on(device, lambda: _shaped(shape, order, lambda s: devices.full(s, fill_value, dtype_there(dtype))))


def zeros(shape, dtype=float, order='C', device=None):
    return full(shape, 0, dtype or float, order, device)


def ones(shape, dtype=float, order='C', device=None):
    return full(shape, 1, dtype or float, order, device)


def full_like(a, fill_value, dtype=None, order='K', subok=None, shape=None, device=None):
    """Returns an array with one value, of the shape, dtype and device of another array."""
    return full(a.shape if shape is None else shape, fill_value, dtype or a.dtype, order,
                device=a._device_id if device is None and isinstance(a, ndarray) else device)


def empty_like(a, dtype=None, order='K', subok=None, shape=None, device=None):
    return empty(a.shape if shape is None else shape, dtype or a.dtype, order,
                 device=a._device_id if device is None and isinstance(a, ndarray) else device)


def zeros_like(a, dtype=None, order='K', subok=None, shape=None, device=None):
    return full_like(a, 0, dtype, order, shape=shape, device=device)


def ones_like(a, dtype=None, order='K', subok=None, shape=None, device=None):
    return full_like(a, 1, dtype, order, shape=shape, device=device)


def array(obj, dtype=None, copy=True, order='K', subok=False, ndmin=0, device=None):
    """Returns an array on a device from numbers, lists, or arrays of NumPy or of a device."""
    if _contains_arrays(obj):
        obj, copy = stack_lists(obj), False
    elif isinstance(obj, Flat):
        obj, copy = obj.copy(), False
    if isinstance(obj, ndarray):
        made = obj if device is None else obj._to_device(_current(device))
        if dtype is not None and made.dtype != dtype:
            made = made.astype(dtype)
        elif copy and made is obj:
            made = made.copy('K')
    elif not hasattr(obj, '__array__') and (hasattr(obj, '__cuda_array_interface__') or hasattr(obj, '__dlpack__')):
        made = from_dlpack(obj)
        made = made.copy() if copy else made
        made = made if dtype is None else made.astype(dtype, copy=False)
    else:
        made = send(numpy.asarray(obj, dtype=dtype), _current(device))
    made = ordered(made, order)
    return made if made.ndim >= ndmin else made.reshape((1,) * (ndmin - made.ndim) + made.shape)


def _contains_arrays(obj):
    return isinstance(obj, (list, tuple)) and any([isinstance(a, ndarray) or _contains_arrays(a) for a in obj])


def stack_lists(obj):
    parts = [stack_lists(a) if isinstance(a, (list, tuple)) else a if isinstance(a, ndarray) else array(a) for a in obj]
    return devices.stack(parts, 0)


def asarray(a, dtype=None, order=None, copy=None, device=None):
    """Returns an array on a device; `a` itself if it is one of that dtype and device."""
    return array(a, dtype, copy=bool(copy), order=order, device=device)


asanyarray = asarray


def ascontiguousarray(a, dtype=None):
    """Returns an array whose elements are in C order without gaps."""
    return asarray(a, dtype)._contiguous()


def asfortranarray(a, dtype=None):
    return asarray(a, dtype).T._contiguous().T


def copy(a, order='K'):
    return array(a, order=order)


def _by_numpy(name):
    def call(*args, **kwargs):
        device = kwargs.pop('device', None)
        return _on(device, lambda: through_host(getattr(numpy, name), *args, **kwargs))
    call.__name__ = call.__qualname__ = name
    call.__doc__ = 'numpy.{}() computed on the host and copied to the current device.'.format(name)
    return call


arange, linspace, logspace, eye, identity, diag = [_by_numpy(n) for n in (
    'arange', 'linspace', 'logspace', 'eye', 'identity', 'diag')]
diagflat, tri, fromiter, frombuffer, indices = [_by_numpy(n) for n in (
    'diagflat', 'tri', 'fromiter', 'frombuffer', 'indices')]


def meshgrid(*xi, **kwargs):
    """Returns the coordinates of a grid, one array for each of the given ones."""
    return [asarray(a) for a in through_host(lambda *a: tuple(numpy.meshgrid(*a, **kwargs)), *xi)]


def _below(m, k):
    return tri(m.shape[-2], m.shape[-1], k, dtype=bool, device=m._device_id)


def tril(m, k=0):
    """Returns matrices with zeros above a diagonal."""
    return devices.where(_below(m, k), m, False)


def triu(m, k=0):
    """Returns matrices with zeros below a diagonal."""
    return devices.where(_below(m, k - 1), False, m)


def from_dlpack(x, device=None, copy=None):
    """Returns an array on the memory of an array of another library on a device, or a copy of one on the host.

    Later work of the device runs after the other library's work on it, if that library knows streams; else this call
    waits for the library. With `copy=False` an array that has to be copied is a BufferError.
    """
    y = _without_copy(x)
    number = int(device) if device is not None else y._device_id if isinstance(y, ndarray) else devices.current()
    if isinstance(y, ndarray) and y._device_id == number:
        return y._copy() if copy else y
    if copy is False:
        raise BufferError('from_dlpack: an array on {} has to be copied to device {}'.format(
            'device {}'.format(y._device_id) if isinstance(y, ndarray) else 'the host', number))
    return y._to_device(number) if isinstance(y, ndarray) else send(y, number)


fromDlpack = from_dlpack


def _without_copy(x):
    """Returns an array on the memory of another library's, of NumPy or of a device."""
    if isinstance(x, ndarray):
        return x
    if type(x).__name__ == 'PyCapsule':
        return devices.from_capsule(x)
    if hasattr(x, '__dlpack_device__') and int(x.__dlpack_device__()[0]) != 2:
        return numpy.from_dlpack(x)
    return devices.from_capsule(_capsule(x)) if hasattr(x, '__dlpack__') else _from_interface(x)


def _capsule(x):
    """Returns the capsule of an array on a device, whose stream waits for the work on the array."""
    stream = devices.stream(int(x.__dlpack_device__()[1]) if hasattr(x, '__dlpack_device__') else devices.current())
    for options in ({'stream': stream, 'max_version': (1, 0)}, {'stream': stream}):
        try:
            return x.__dlpack__(**options)
        except TypeError:  # of a library that does not have these options
            pass
    _wait_for(x)
    return x.__dlpack__()


def _wait_for(x):
    """Waits for the work of the library that an array on a device belongs to."""
    there = getattr(x, 'device', None)
    if hasattr(there, 'synchronize'):  # CuPy
        there.synchronize()
    elif type(x).__module__.partition('.')[0] == 'torch':
        sys.modules['torch'].cuda.synchronize(there)


def _from_interface(x):
    """Returns an array on the memory that __cuda_array_interface__ describes."""
    described = x.__cuda_array_interface__
    address, read_only = described['data']
    device = int(getattr(x, 'device', devices.current()))
    stream = described.get('stream')
    if stream is not None:
        devices.wait_for(device, stream)
    elif described.get('version', 0) < 3:  # since version 3, no stream means that there is nothing to wait for
        _wait_for(x)
    return devices.from_address(address, described['shape'], numpy.dtype(described['typestr']),
                                described.get('strides'), not read_only, device, x)
