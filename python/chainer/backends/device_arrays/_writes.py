# SPDX-License-Identifier: MIT
"""Writes to chosen elements of an array."""
import numpy

from chainer import _core
from chainer.backends.device_arrays import _creation
from chainer.backends.device_arrays._array import through_host

__all__ = ['scatter_add', 'put', 'place', 'fill_diagonal']


def scatter_add(a, slices, value):
    """Adds a value to the elements at an index, once for each time that the index contains an element."""
    if a.dtype.kind != 'f':
        return _in_place(numpy.add.at, a, slices, value)
    x, added = [_core.Variable(v, requires_grad=False) for v in (a, _creation.asarray(value, a.dtype))]
    a[...] = _core.functions.scatter_add(x, slices, added).array


def _in_place(function, a, *args, **kwargs):
    """Writes by a function of NumPy on a copy."""
    def write(x, *given):
        function(x, *given, **kwargs)
        return x
    a[...] = through_host(write, a, *args)


def put(a, indices, values, mode='raise'):
    """Sets the elements at positions in C order; fewer values are repeated."""
    _in_place(numpy.put, a, indices, values, mode=mode)


def place(arr, mask, vals):
    """Sets the elements where the mask is true; fewer values are repeated."""
    _in_place(numpy.place, arr, mask, vals)


def fill_diagonal(a, val, wrap=False):
    """Sets the diagonal of an array."""
    _in_place(numpy.fill_diagonal, a, val, wrap=wrap)
