# SPDX-License-Identifier: MIT
"""The methods of arrays on devices."""
import numpy

from chainer.backends.device_arrays import _creation, _elementwise, _linear, _manipulation, _reductions, _searching
from chainer.backends.device_arrays import _flat, _host, _writes
from chainer.backends.device_arrays import cuda
from chainer.backends.device_arrays._array import devices, dtype_there, finish, ndarray, ordered


def _shape(args):
    return args[0] if len(args) == 1 and not isinstance(args[0], (int, numpy.integer)) else args


def _get(self, stream=None, order='C', out=None):
    """Returns a copy in the host's memory, with its elements in C or F order."""
    if out is None:
        return numpy.asarray(self._get(), order=order)
    out[...] = self._get()
    return out


def _set(self, arr, stream=None):
    """Copies the elements of an array of NumPy."""
    self[...] = arr


def _item(self, *index):
    """Returns an element as a Python number."""
    if not index:
        return self._item()
    if isinstance(index[0], tuple):
        index = index[0]
    return (self[index] if len(index) > 1 or self.ndim == 1 else self.ravel()[index[0]])._item()


def _copy(self, order='C'):
    """Returns a copy on the current device."""
    here = devices.current()
    y = self._copy() if here == self._device_id else self._to_device(here)
    return ordered(y, order)


def _astype(self, dtype, order='K', casting='unsafe', subok=True, copy=True):
    """Returns the elements in another dtype; without `copy`, this array if it has that dtype."""
    if not copy and self.dtype == dtype:
        return self
    there = dtype_there(float if dtype is None else dtype)
    if there != dtype and dtype is not None and self.dtype != numpy.uint8 and numpy.dtype(dtype).itemsize < 8:
        # Negative numbers become those that the unsigned dtype has in NumPy.
        return _elementwise.remainder(self._astype(numpy.int64, True), 256 ** numpy.dtype(dtype).itemsize)._astype(
            there, False)
    return self._astype(there, True)


def _reshape(self, *shape, **kwargs):
    return _manipulation.reshape(self, _shape(shape), **kwargs)


def _transpose(self, *axes):
    return self._transpose(_shape(axes) if axes else None)


def _flatten(self, order='C'):
    """Returns a copy of the elements in one axis."""
    return _manipulation.ravel(self, order)._copy()


def _view(self, dtype=None):
    """Returns an array on the same memory, whose bytes may be read as another dtype."""
    if dtype is None or numpy.dtype(dtype) == self.dtype:
        return self[...]
    dtype = numpy.dtype(dtype)
    if dtype_there(dtype) != dtype or not self._is_contiguous:
        raise NotImplementedError('view: there are views of {} only as dtypes of arrays on devices, and of arrays in C '
                                  'order; use astype()'.format(self.dtype))
    shape = self.shape
    if dtype.itemsize != self.itemsize:
        if not shape or self.itemsize * shape[-1] % dtype.itemsize:
            raise ValueError('view: the last axis of the shape {} of {} is no multiple of an element of {}'.format(
                shape, self.dtype, dtype))
        shape = shape[:-1] + (self.itemsize * shape[-1] // dtype.itemsize,)
    return devices.from_address(devices.address(self, False), shape, dtype, None, self._is_writable, self._device_id,
                                self)


def _sort(self, axis=-1):
    self[...] = _searching.sort(self, axis)


def _partition(self, kth, axis=-1):
    self[...] = _searching.partition(self, kth, axis)


def _compress(self, condition, axis=None, out=None):
    return _host.compress(condition, self, axis, out=out)


def _tobytes(self, order='C'):
    return self.get().tobytes(order)


def _array(self, *args, **kwargs):
    raise TypeError('an array on a device is not converted to an array of NumPy implicitly; use a.get()')


_COMPARISONS = ('less', 'less_equal', 'equal', 'not_equal', 'greater', 'greater_equal')


def _ufunc(self, ufunc, method, *inputs, **kwargs):
    """Functions of NumPy on arrays of devices are the functions of this module."""
    from chainer.backends import device_arrays
    if method != '__call__' or not hasattr(device_arrays, ufunc.__name__):
        return NotImplemented
    if ufunc.__name__ in _COMPARISONS:  # for which NumPy makes an array of its number on the left
        inputs = [x[()] if isinstance(x, numpy.ndarray) and x.ndim == 0 else x for x in inputs]
    for x in inputs:
        if isinstance(x, numpy.ndarray):
            raise TypeError('{}: an array of NumPy and an array on a device cannot be mixed; asarray(a) copies to the '
                            'device, a.get() to the host'.format(ufunc.__name__))
    out = kwargs.pop('out', None)
    if out is not None:
        kwargs['out'] = out[0]
    return getattr(device_arrays, ufunc.__name__)(*inputs, **kwargs)


class _Memory(object):
    """The address of an array's elements."""

    def __init__(self, a):
        self.ptr, self.device, self._owner = devices.address(a), a.device, a

    def __eq__(self, other):
        return isinstance(other, _Memory) and self.ptr == other.ptr

    def __hash__(self):
        return hash(self.ptr)


class _Flags(object):
    """The properties of an array's memory."""

    def __init__(self, a):
        self.c_contiguous, self.f_contiguous = a._is_contiguous, a.T._is_contiguous
        self.writeable, self.owndata, self.forc = a._is_writable, True, self.c_contiguous or self.f_contiguous

    def __getitem__(self, name):
        return getattr(self, name.lower())


def _reduce(self):
    return _rebuild, (self.get(),)


def _rebuild(a):
    return _creation.asarray(a)


def _namespace(self, api_version=None):
    from chainer.backends import device_arrays
    return device_arrays


def _text(self, format_spec=''):
    return format(self._item() if self.ndim == 0 else self.get(), format_spec)


def _dlpack(self, stream=None, max_version=None, dl_device=None, copy=None):
    """Returns a capsule of DLPack on this memory, or on a copy in the host's memory if dl_device is the host.

    `stream` is the consumer's: a handle of CUDA, or 1 or 2 for CUDA's default streams. Its later work runs after the
    work on the array. With -1 there is no such order; with None the array's elements are there when the call returns.
    """
    if dl_device is not None and int(dl_device[0]) == 1:
        return self.get().__dlpack__()
    if dl_device is not None and tuple([int(n) for n in dl_device]) != self.__dlpack_device__():
        raise BufferError('__dlpack__: the array is on device {}, not on {}'.format(
            self.__dlpack_device__(), dl_device))
    return devices.to_capsule(self, max_version is not None and max_version[0] >= 1, bool(copy), stream)


def _interface(self):
    return {'version': 3, 'shape': self.shape, 'typestr': self.dtype.str, 'descr': [('', self.dtype.str)],
            'data': (devices.address(self, False), not self._is_writable), 'stream': devices.stream(self._device_id),
            'strides': None if self._is_contiguous else self.strides}


def _method(function):
    def call(self, *args, **kwargs):
        return function(self, *args, **kwargs)
    call.__name__, call.__doc__ = function.__name__, function.__doc__
    return call


def _device(self):
    return cuda.Device(self._device_id)


def _bits(function):
    def call(self, other):
        if not isinstance(other, (ndarray, int, numpy.integer, numpy.bool_)):
            return NotImplemented
        return function(self, other)

    def reflected(self, other):
        return function(other, self) if isinstance(other, (int, numpy.integer, numpy.bool_)) else NotImplemented

    def in_place(self, other):
        y = call(self, other)
        return y if y is NotImplemented else finish(y, self)
    return call, reflected, in_place


def _add():
    for module, names in ((_reductions, 'sum prod max min mean var std all any argmax argmin cumsum cumprod ptp'),
                          (_manipulation, 'ravel squeeze swapaxes repeat diagonal'), (_linear, 'dot trace'),
                          (_elementwise, 'clip round conj conjugate'),
                          (_searching, 'take argsort nonzero choose argpartition searchsorted'),
                          (_writes, 'scatter_add put')):
        for name in names.split():
            setattr(ndarray, name, _method(getattr(module, name)))
    for name in ('and', 'or', 'xor'):
        for prefix, call in zip(('', 'r', 'i'), _bits(getattr(_elementwise, 'bitwise_' + name))):
            setattr(ndarray, '__{}{}__'.format(prefix, name), call)
    for name, function in (('lshift', _elementwise.left_shift), ('rshift', _elementwise.right_shift)):
        for prefix, call in zip(('', 'r', 'i'), _bits(function)):
            setattr(ndarray, '__{}{}__'.format(prefix, name), call)
    for name, value in dict(
            get=_get, set=_set, item=_item, astype=_astype, reshape=_reshape, transpose=_transpose, view=_view,
            sort=_sort,
            reduced_view=lambda self, dtype=None: self,  # kernels index every layout in C order
            copy=_copy, flatten=_flatten, itemset=_flat.itemset,
            partition=_partition, compress=_compress,
            dumps=lambda self: self.get().dumps(), dump=lambda self, file: self.get().dump(file),
            tofile=lambda self, *args, **kwargs: self.get().tofile(*args, **kwargs), tostring=_tobytes,
            toDlpack=lambda self: self.__dlpack__(),
            tolist=lambda self: self.get().tolist(), tobytes=_tobytes,
            to_device=lambda self, device, stream=None: self._to_device(int(device)),
            T=property(lambda self: self._transpose(None)), mT=property(_manipulation.matrix_transpose),
            device=property(_device), data=property(_Memory), flags=property(_Flags),
            flat=property(_flat.Flat, _flat.set_flat),
            real=property(lambda self: self), imag=property(_elementwise.imag), base=None,
            __array_priority__=100, __array__=_array,
            __dlpack__=_dlpack, __dlpack_device__=lambda self: (2, self._device_id),
            __cuda_array_interface__=property(_interface), __array_ufunc__=_ufunc, __array_namespace__=_namespace,
            __reduce__=_reduce,
            __copy__=lambda self: self._copy(), __deepcopy__=lambda self, memo: self._copy(),
            __invert__=_elementwise.invert, __divmod__=_elementwise.divmod,
            __repr__=lambda self: repr(self.get()), __str__=lambda self: str(self.get()), __format__=_text,
            __round__=lambda self, decimals=0: _elementwise.round(self, decimals)).items():
        setattr(ndarray, name, value)


_add()
