# SPDX-License-Identifier: MIT
"""Shapes, joining and splitting."""
import numpy

from chainer.backends.device_arrays._array import axis_in, devices, finish, in_columns, ndarray, through_host

__all__ = ['reshape', 'ravel', 'transpose', 'permute_dims', 'broadcast_to', 'broadcast_arrays', 'broadcast',
           'concatenate', 'concat', 'stack', 'unstack', 'vstack', 'hstack', 'dstack', 'split', 'array_split', 'vsplit', 'hsplit',
           'dsplit', 'expand_dims', 'squeeze', 'swapaxes', 'moveaxis', 'rollaxis', 'roll', 'flip', 'flipud', 'fliplr',
           'rot90', 'repeat', 'tile', 'pad', 'copyto', 'atleast_1d', 'atleast_2d', 'atleast_3d', 'astype',
           'matrix_transpose', 'diagonal', 'append', 'ndim', 'shape', 'size']


def reshape(a, newshape=None, order='C', shape=None, copy=None):
    """Returns the elements in another shape; one length may be -1."""
    wanted = newshape if shape is None else shape
    if in_columns(a, order):
        y = a.T._reshape(tuple(wanted)[::-1] if isinstance(wanted, (tuple, list)) else wanted).T
    else:
        y = a._reshape(wanted)
    return y._copy() if copy else y


def ravel(a, order='C'):
    """Returns the elements in one axis, in C or F order, or by 'K' in the order of the memory."""
    if order == 'K':
        return a._transpose(sorted(range(a.ndim), key=lambda n: -abs(a.strides[n])))._reshape(-1)
    return reshape(a, -1, order)


def transpose(a, axes=None):
    return a._transpose(axes)


permute_dims = transpose


def matrix_transpose(x):
    return devices.swapaxes(x, -1, -2)


def broadcast_to(array, shape):
    """Returns a read-only view of a larger shape."""
    return devices.broadcast_to(array, shape)


def broadcast_arrays(*arrays):
    """Returns views of the arrays in their common shape."""
    common = numpy.broadcast_shapes(*[a.shape for a in arrays])
    return [devices.broadcast_to(a, common) for a in arrays]


class broadcast(object):
    """The common shape of arrays, and views of that shape."""

    def __init__(self, *arrays):
        self.shape = numpy.broadcast_shapes(*[getattr(a, 'shape', ()) for a in arrays])
        self.nd, self.size = len(self.shape), int(numpy.prod(self.shape))
        self.values = tuple([devices.broadcast_to(a, self.shape) if isinstance(a, ndarray) else a for a in arrays])


def concatenate(arrays, axis=0, out=None):
    """Joins arrays along an axis; None joins the flattened arrays."""
    if axis is None:
        arrays, axis = [a.ravel() for a in arrays], 0
    return finish(devices.concatenate(arrays, axis), out)


concat = concatenate


def stack(arrays, axis=0, out=None):
    return finish(devices.stack(arrays, axis), out)


def unstack(x, axis=0):
    """Returns the slices along an axis."""
    return tuple(devices.moveaxis(x, axis, 0)[i] for i in range(x.shape[axis]))


def vstack(arrays):
    return concatenate([atleast_2d(a) for a in arrays], 0)


def hstack(arrays):
    arrays = [atleast_1d(a) for a in arrays]
    return concatenate(arrays, 0 if arrays[0].ndim == 1 else 1)


def dstack(arrays):
    return concatenate([atleast_3d(a) for a in arrays], 2)


def append(arr, values, axis=None):
    from chainer.backends.device_arrays import _creation
    return concatenate([arr, _creation.asarray(values)], axis)


def array_split(ary, indices_or_sections, axis=0):
    """Splits into views, of which the first ones may be longer by one."""
    if isinstance(indices_or_sections, (int, numpy.integer)):
        return list(devices.array_split(ary, indices_or_sections, axis))
    return list(devices.split_at(ary, [int(i) for i in indices_or_sections], axis))


def split(ary, indices_or_sections, axis=0):
    """Splits into views of equal lengths, or at positions."""
    if isinstance(indices_or_sections, (int, numpy.integer)) and ary.shape[axis] % indices_or_sections:
        raise ValueError('split: {} sections do not divide an axis of length {}'.format(
            indices_or_sections, ary.shape[axis]))
    return array_split(ary, indices_or_sections, axis)


def vsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections, 0)


def hsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections, 0 if ary.ndim == 1 else 1)


def dsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections, 2)


def expand_dims(a, axis):
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    for one in sorted([axis_in(x, a.ndim + len(given)) for x in given]):
        a = devices.expand_dims(a, one)
    return a


def squeeze(a, axis=None):
    return devices.squeeze(a, axis)


def swapaxes(a, axis1, axis2):
    return devices.swapaxes(a, axis1, axis2)


def moveaxis(a, source, destination):
    return devices.moveaxis(a, source, destination)


def rollaxis(a, axis, start=0):
    axis = axis_in(axis, a.ndim)
    start = axis_in(start, a.ndim + 1) if start >= 0 else axis_in(start, a.ndim)
    return devices.moveaxis(a, axis, start - (axis < start))


def roll(a, shift, axis=None):
    """Moves elements along axes; those beyond the last position come first."""
    if axis is None:
        return roll(a.ravel(), shift, 0).reshape(a.shape)
    shifts = shift if isinstance(shift, (tuple, list)) else (shift,)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,) * len(shifts)
    if len(shifts) == 1:
        shifts = tuple(shifts) * len(axes)
    for n, x in zip(shifts, axes):
        if a.shape[x]:
            n %= a.shape[x]
            head, tail = devices.split_at(a, [a.shape[x] - n], x)
            a = devices.concatenate([tail, head], x)
    return a


def flip(m, axis=None):
    for x in range(m.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,):
        m = devices.flip(m, x)
    return m


def flipud(m):
    return devices.flip(m, 0)


def fliplr(m):
    return devices.flip(m, 1)


def rot90(m, k=1, axes=(0, 1)):
    """Rotates by 90 degrees in the plane of two axes, k times."""
    first, second = axes
    for _ in range(k % 4):
        m = devices.swapaxes(devices.flip(m, second), first, second)
    return m


def repeat(a, repeats, axis=None):
    if isinstance(repeats, (int, numpy.integer)):
        return devices.repeat(a, repeats, axis)
    return through_host(numpy.repeat, a, repeats, axis)


def tile(A, reps):
    return devices.tile(A, reps)


def pad(array, pad_width, mode='constant', **kwargs):
    """numpy.pad(): constants on the device, other modes on the host."""
    if mode != 'constant':
        return through_host(numpy.pad, array, pad_width, mode, **kwargs)
    widths = numpy.broadcast_to(numpy.asarray(pad_width), (array.ndim, 2)).tolist()
    value = numpy.asarray(kwargs.get('constant_values', 0))
    if value.size != 1:
        return through_host(numpy.pad, array, pad_width, mode, **kwargs)
    from chainer.backends.device_arrays import _creation
    padded = tuple([before + n + after for n, (before, after) in zip(array.shape, widths)])
    y = _creation.full(padded, value.item(), array.dtype, device=array._device_id)
    y[tuple([slice(before, before + n) for n, (before, _) in zip(array.shape, widths)])] = array
    return y


def copyto(dst, src, casting='same_kind', where=None):
    """Writes the elements of an array or a number to another array, where a condition is true."""
    if where is None:
        dst[...] = src
    else:
        from chainer.backends.device_arrays import _elementwise
        dst[...] = _elementwise.where(where, src, dst)


def atleast_1d(*arys):
    y = [a if a.ndim else a.reshape(1) for a in arys]
    return y[0] if len(y) == 1 else y


def atleast_2d(*arys):
    y = [a if a.ndim > 1 else a.reshape((1, -1)) for a in arys]
    return y[0] if len(y) == 1 else y


def atleast_3d(*arys):
    y = [a if a.ndim > 2 else a.reshape(a.shape + (1,)) if a.ndim == 2 else a.reshape((1, -1, 1)) for a in arys]
    return y[0] if len(y) == 1 else y


def astype(x, dtype, copy=True, device=None):
    return x.astype(dtype, copy=copy)


def diagonal(a, offset=0, axis1=0, axis2=1):
    """Returns the diagonal of matrices in the last axis, in an array of its own."""
    a = devices.moveaxis(a, (axis1, axis2), (0, 1))
    n = max(0, min(a.shape[0] + min(offset, 0), a.shape[1] - max(offset, 0)))
    positions = numpy.arange(n)
    y = a[positions - min(offset, 0), positions + max(offset, 0)]
    return devices.moveaxis(y, 0, y.ndim - 1)


def ndim(a):
    return numpy.ndim(a) if not isinstance(a, ndarray) else a.ndim


def shape(a):
    return numpy.shape(a) if not isinstance(a, ndarray) else a.shape


def size(a, axis=None):
    return a.size if axis is None else a.shape[axis]
