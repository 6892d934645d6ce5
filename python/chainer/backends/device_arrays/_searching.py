# SPDX-License-Identifier: MIT
"""Sorting, searching and sets."""
import collections

import numpy

from chainer.backends.device_arrays._array import axis_in, devices, finish, through_host

__all__ = ['sort', 'argsort', 'nonzero', 'flatnonzero', 'argwhere', 'take', 'take_along_axis', 'put_along_axis',
           'searchsorted', 'unique', 'unique_all', 'unique_counts', 'unique_inverse', 'unique_values', 'isin', 'choose',
           'argpartition', 'partition', 'lexsort']


def sort(a, axis=-1, descending=False, stable=True):
    """Returns a sorted copy, with NaN last."""
    if axis is None:
        a, axis = a.ravel(), 0
    y = devices.sort(a, axis)
    return devices.flip(y, axis) if descending else y


def argsort(a, axis=-1, descending=False, stable=True):
    """Returns the positions of the elements in sorted order; equal elements keep theirs."""
    if axis is None:
        a, axis = a.ravel(), 0
    if not descending:
        return devices.argsort(a, axis)
    y = devices.flip(devices.argsort(devices.flip(a, axis), axis), axis)
    return a.shape[axis] - 1 - y


def nonzero(a):
    """Returns the positions of the elements that are not zero, one array for each axis."""
    return devices.nonzero(a)


def flatnonzero(a):
    return devices.nonzero(a.ravel())[0]


def argwhere(a):
    return devices.stack(devices.nonzero(a), 1)


def take(a, indices, axis=None, out=None):
    """Returns the slices at positions of an axis."""
    from chainer.backends.device_arrays import _creation
    return finish(devices.take(a, _creation.asarray(indices), axis), out)


def _positions(arr, indices, axis):
    axis = axis_in(axis, arr.ndim)
    shape = list(numpy.broadcast_shapes(arr.shape[:axis] + (1,) + arr.shape[axis + 1:],
                                        indices.shape[:axis] + (1,) + indices.shape[axis + 1:]))
    return tuple([indices if n == axis else numpy.arange(length).reshape([-1 if k == n else 1 for k in range(arr.ndim)])
                  for n, length in enumerate(shape)])


def take_along_axis(arr, indices, axis=-1):
    """Returns the elements whose position along an axis is given, one for each element of the indices."""
    if axis is None:
        arr, axis = arr.ravel(), 0
    return arr[_positions(arr, indices, axis)]


def put_along_axis(arr, indices, values, axis):
    arr[_positions(arr, indices, axis)] = values


def unique(ar, return_index=False, return_inverse=False, return_counts=False):
    """Returns the distinct elements, sorted."""
    if return_index:
        return through_host(lambda a: numpy.unique(a, True, return_inverse, return_counts), ar)
    values, inverse, counts = devices.unique(ar)
    result = (values,) + ((inverse,) if return_inverse else ()) + ((counts,) if return_counts else ())
    return result if len(result) > 1 else values


_All = collections.namedtuple('UniqueAllResult', 'values indices inverse_indices counts')
_Counts = collections.namedtuple('UniqueCountsResult', 'values counts')
_Inverse = collections.namedtuple('UniqueInverseResult', 'values inverse_indices')


def unique_all(x):
    values, indices, inverse, counts = unique(x, True, True, True)
    return _All(values, indices, inverse.reshape(x.shape), counts)


def unique_counts(x):
    values, _, counts = devices.unique(x)
    return _Counts(values, counts)


def unique_inverse(x):
    values, inverse, _ = devices.unique(x)
    return _Inverse(values, inverse.reshape(x.shape))


def unique_values(x):
    return devices.unique(x)[0]


def _by_numpy(name):
    def call(*args, **kwargs):
        return through_host(getattr(numpy, name), *args, **kwargs)
    call.__name__ = call.__qualname__ = name
    call.__doc__ = 'numpy.{}() computed on the host.'.format(name)
    return call


searchsorted, isin, choose, argpartition, partition, lexsort = [_by_numpy(n) for n in (
    'searchsorted', 'isin', 'choose', 'argpartition', 'partition', 'lexsort')]
