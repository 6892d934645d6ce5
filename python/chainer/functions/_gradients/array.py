# SPDX-License-Identifier: MIT
"""Gradients of functions of arrays."""
import numpy

from chainer import _core
from chainer.backends import cuda
from chainer.functions._gradients.base import Formula, Places, vjp, xp_of, zeros
from chainer.utils import conv

_c = _core.functions
PLACES = Places('array')
at = PLACES.at


class _Adjoint(Formula):
    """The transpose of a linear function on arrays of a shape."""

    def _of(self, function, shape, gy):
        return vjp(function, [zeros(shape, gy.dtype, gy)], [gy])[0]


@at('diagonal')
class DiagonalGrad(_Adjoint):
    """An array of zeros with gy on its diagonal."""

    def __init__(self, out_shape, offset, axis1, axis2):
        self.out_shape, self.offset, self.axis1, self.axis2 = out_shape, offset, axis1, axis2

    def compute(self, gy):
        return self._of(lambda x: _c.diagonal(x, self.offset, self.axis1, self.axis2), self.out_shape, gy)


@at('get_item')
class GetItemGrad(_Adjoint):
    """An array of zeros with gy added at slices."""

    def __init__(self, slices, in_shape):
        self.slices, self._in_shape = slices, in_shape

    def compute(self, gy):
        return _c.scatter_add(zeros(self._in_shape, gy.dtype, gy), self.slices, gy)


@at('get_item')
def install_variable_get_item():
    """Does nothing: Variable has its subscript."""


def _pair(x):
    return tuple(x) if hasattr(x, '__getitem__') else (x, x)


@at('im2col')
class Im2ColGrad(_Adjoint):
    """Sums windows into images."""

    def __init__(self, ksize, stride, pad, cover_all, dilate, in_shape):
        self.kh, self.kw = _pair(ksize)
        self.sy, self.sx = _pair(stride)
        self.ph, self.pw = _pair(pad)
        self.dy, self.dx = _pair(dilate)
        self.cover_all, self.in_shape = cover_all, in_shape

    def compute(self, gy):
        return self._of(lambda x: _c.im2col(
            x, (self.kh, self.kw), (self.sy, self.sx), (self.ph, self.pw), self.cover_all, (self.dy, self.dx)),
            self.in_shape, gy)


@at('repeat')
class RepeatGrad(_Adjoint):
    """Sums repeated elements."""

    def __init__(self, repeats, axis, in_shape, in_dtype):
        self.repeats, self.axis, self.in_shape, self.in_dtype = repeats, axis, in_shape, in_dtype
        if axis is not None and axis < 0:
            self.axis += len(in_shape)

    def compute(self, gy):
        repeats = self.repeats[0] if len(self.repeats) == 1 else self.repeats
        return self._of(lambda x: _c.repeat(x, repeats, self.axis), self.in_shape, gy)


@at('resize_images')
class ResizeImagesGrad(_Adjoint):
    """The gradient of bilinear resizing."""

    def __init__(self, input_shape, output_shape):
        self.in_H, self.in_W = input_shape[2:]
        self.out_H, self.out_W = output_shape
        self.input_shape = input_shape

    def compute(self, gy):
        return self._of(lambda x: _c.resize_images(x, (self.out_H, self.out_W)), self.input_shape, gy)


@at('select_item')
class Assign(Formula):
    """An array of zeros with gy at column t of each row."""

    def __init__(self, shape, dtype, t):
        self.shape, self.dtype, self.t = shape, dtype, getattr(t, 'array', t)

    def compute(self, gy):
        where = xp_of(gy).arange(len(self.t)), self.t
        return _c.scatter_add(zeros(self.shape, self.dtype, gy), where, gy)


@at('squeeze')
def argone(iterable):
    """The indices of the ones."""
    return tuple([i for i, n in enumerate(iterable) if n == 1])


@at('flip')
def _flip(array, axis):
    return xp_of(array).flip(array, axis)


@at('reshape')
def _count_unknown_dims(shape):
    return sum([n == -1 for n in shape])


@at('permutate')
def _check_indices(indices):
    """Raises a ValueError unless the indices are a permutation."""
    indices = cuda.to_cpu(indices)
    if len(indices) and not numpy.array_equal(numpy.sort(indices), numpy.arange(len(indices))):
        raise ValueError('indices must be a permutation of 0 to {}, not {}'.format(len(indices) - 1, indices))


@at('permutate')
def _inverse_indices(indices):
    xp = xp_of(indices)
    inverse = xp.empty_like(indices)
    inverse[indices] = xp.arange(len(indices))
    return inverse


@at('moveaxis')
def _normalize_axis_tuple(axis, ndim):
    """Axes counted from the front; a ValueError or numpy.AxisError for wrong ones."""
    AxisError = getattr(numpy, 'exceptions', numpy).AxisError  # (its place depends on the version)
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    for a in axes:
        if not -ndim <= a < ndim:
            raise AxisError('axis {} is out of range for {} axes'.format(a, ndim))
    axes = tuple([a % ndim for a in axes])
    if len(set(axes)) != len(axes):
        raise ValueError('repeated axis in {}'.format(axes))
    return axes


@at('moveaxis')
def _moveaxis(a, source, destination, xp):
    return xp.moveaxis(a, source, destination)


@at('transpose_sequence')
def _transpose(xs, length):
    """Arrays of one element of each sequence that is long enough."""
    return tuple([xp_of(*xs).stack([x[i] for x in xs if len(x) > i]) for i in range(length)])


PLACES['im2col', '_pair'] = _pair


@at('im2col')
def _im2col(x, kh, kw, sy, sx, ph, pw, cover_all, dy, dx):
    return conv.im2col(x, kh, kw, sy, sx, ph, pw, cover_all=cover_all, dy=dy, dx=dx)


@at('im2col')
def _col2im(x, sy, sx, ph, pw, h, w, dy, dx):
    return conv.col2im(x, sy, sx, ph, pw, h, w, dy=dy, dx=dx)


for _name in ('im2col_cpu', 'im2col_gpu', 'col2im_cpu', 'col2im_gpu'):
    PLACES['im2col', _name] = getattr(conv, _name)
