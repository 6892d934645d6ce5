# SPDX-License-Identifier: MIT
"""Products of arrays."""
import numpy

from chainer.backends.device_arrays._array import axis_in, devices, finish, through_host

__all__ = ['dot', 'matmul', 'vdot', 'inner', 'outer', 'tensordot', 'einsum', 'vecdot', 'kron', 'cross', 'trace']


def dot(a, b, out=None):
    """numpy.dot() on a device."""
    return finish(devices.dot(a, b), out)


def matmul(x1, x2, out=None):
    """numpy.matmul() on a device."""
    return finish(devices.matmul(x1, x2), out)


def vdot(a, b):
    return devices.dot(a.ravel(), b.ravel())


def inner(a, b):
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    return tensordot(a, b, ((-1,), (-1,)))


def outer(a, b, out=None):
    return finish(a.ravel()[:, None] * b.ravel()[None, :], out)


def vecdot(x1, x2, axis=-1):
    """Returns sums of products along an axis."""
    return devices.sum(x1 * x2, axis, False, None)


def tensordot(a, b, axes=2):
    """Returns sums of products over some axes of both arrays."""
    if isinstance(axes, (int, numpy.integer)):
        axes = tuple(range(a.ndim - axes, a.ndim)), tuple(range(axes))
    left, right = [[axis_in(n, x.ndim) for n in (one if isinstance(one, (tuple, list)) else (one,))]
                   for one, x in zip(axes, (a, b))]
    rest_a = [n for n in range(a.ndim) if n not in left]
    rest_b = [n for n in range(b.ndim) if n not in right]
    length, height, width = [int(numpy.prod([x.shape[n] for n in one]))
                             for one, x in ((left, a), (rest_a, a), (rest_b, b))]
    rows = a.transpose(rest_a + left).reshape(height, length)
    columns = b.transpose(right + rest_b).reshape(length, width)
    return devices.matmul(rows, columns).reshape([a.shape[n] for n in rest_a] + [b.shape[n] for n in rest_b])


def einsum(subscripts, *operands, **kwargs):
    """Einstein's summation, computed by functions.einsum(); of integers, or with lists of axes, on the host."""
    import chainer
    if kwargs or not isinstance(subscripts, str) or any([a.dtype.kind != 'f' for a in operands]):
        return through_host(numpy.einsum, subscripts, *operands, **kwargs)
    return chainer.functions.einsum(subscripts, *operands).array


def kron(a, b):
    return through_host(numpy.kron, a, b)


def cross(a, b, axis=-1):
    return through_host(numpy.cross, a, b, axis=axis)


def trace(a, offset=0, axis1=0, axis2=1):
    from chainer.backends.device_arrays import _manipulation
    return devices.sum(_manipulation.diagonal(a, offset, axis1, axis2), -1, False, None)
