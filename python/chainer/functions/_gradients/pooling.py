# SPDX-License-Identifier: MIT
"""Gradients of pooling functions, made from the node of the pooling."""
import numpy

from chainer import _core
from chainer.backends import cuda
from chainer.function_node import FunctionNode
from chainer.functions._gradients.base import Formula, Places, Variable, vjp, zeros

_c = _core.functions
PLACES = Places('pooling')
at = PLACES.at


def _of_zeros(function, shape, dtype, gy):
    return vjp(function, [zeros(shape, dtype, gy)], [gy])[0]


class _Pooling(Formula):
    """Takes the window of a pooling's node: kh, kw, ... or ksize, stride, pad."""

    def __init__(self, pooling):
        self._node_of = pooling
        for name in ('kh', 'kw', 'sy', 'sx', 'ph', 'pw', 'ndim', 'ksize', 'stride', 'pad', 'cover_all', 'outh', 'outw',
                     'outs', 'pad_value', 'indexes', '_in_shape', '_in_dtype', '_used_cudnn'):
            if hasattr(pooling, name):
                try:
                    setattr(self, name, getattr(pooling, name))
                except AttributeError:
                    pass

    def _in(self):
        """The shape and dtype of the pooling's input."""
        if hasattr(self, '_in_shape'):
            return self._in_shape, self._in_dtype
        x = self._node_of.inputs[0]
        return x.shape, x.dtype

    def _window(self):
        if hasattr(self, 'kh'):
            return (self.kh, self.kw), (self.sy, self.sx), (self.ph, self.pw)
        return tuple(self.ksize), tuple(self.stride), tuple(self.pad)

    def _indexes(self):
        """The position of each maximum in its window, row by row."""
        if getattr(self, 'indexes', None) is None:
            x = self._node_of.inputs[0].data
            if x is None:
                raise RuntimeError('the pooling has neither indexes nor its input')
            function = _c.max_pooling_2d if hasattr(self, 'kh') else _c.max_pooling_nd
            ksize, stride, pad = self._window()
            self.indexes = function(Variable(x, requires_grad=False), ksize, stride, pad, self.cover_all,
                                    return_indices=True)[1]
        return numpy.asarray(cuda.to_cpu(self.indexes))

    def _flat(self):
        """The flat index, in the input, of each maximum."""
        ksize, stride, pad = self._window()
        where, shape = self._indexes(), self._in()[0]
        at = numpy.unravel_index(where, ksize)
        lead = numpy.indices(where.shape, sparse=True)
        places = list(lead[:2])
        for k, (i, s, p) in enumerate(zip(at, stride, pad)):
            places.append(lead[2 + k] * s + i - p)
        return numpy.ravel_multi_index(numpy.broadcast_arrays(*places), shape)


class _MaxGrad(_Pooling):
    def compute(self, gy):
        shape, dtype = self._in()
        gx = zeros(int(numpy.prod(shape)), dtype, gy)
        return _c.reshape(_c.scatter_add(gx, (self._flat().ravel(),), _c.reshape(gy, (-1,))), shape)


class _WithIndexes(_Pooling):
    def compute(self, x):
        self._in_shape, self._in_dtype = x.shape, x.dtype
        where = self._flat()
        return _c.reshape(_c.get_item(_c.reshape(x, (-1,)), (where.ravel(),)), where.shape)


class _AverageGrad(_Pooling):
    def compute(self, gy):
        shape, dtype = self._in()
        ksize, stride, pad = self._window()
        if hasattr(self, 'kh'):
            return _of_zeros(lambda x: _c.average_pooling_2d(x, ksize, stride, pad), shape, dtype, gy)
        return _of_zeros(lambda x: _c.average_pooling_nd(x, ksize, stride, pad, getattr(self, 'pad_value', 0)), shape,
                         dtype, gy)


class _UnpoolingGrad(_Pooling):
    def compute(self, gy):
        from chainer.utils import conv
        ksize, stride, pad = self._window()
        sizes = [conv.get_conv_outsize(n, k, s, p, self.cover_all)
                 for n, k, s, p in zip(gy.shape[2:], ksize, stride, pad)]
        function = _c.unpooling_2d if hasattr(self, 'kh') else _c.unpooling_nd
        return _of_zeros(lambda x: function(x, ksize, stride, pad, gy.shape[2:], self.cover_all),
                         gy.shape[:2] + tuple(sizes), gy.dtype, gy)


@at('upsampling_2d')
class Upsampling2DGrad(_Pooling):
    """Takes the elements of gy where upsampling_2d put them."""

    def compute(self, gy):
        ksize, stride, pad = self._window()
        return _of_zeros(lambda x: _c.upsampling_2d(x, self.indexes, ksize, stride, pad, gy.shape[2:], self.cover_all),
                         self.indexes.shape, gy.dtype, gy)


for _d in ('2d', 'nd'):
    for _stem, _name, _base, _doc in (
            ('max_pooling_', 'MaxPooling%sGrad', _MaxGrad, 'Puts gy where the maxima were.'),
            ('max_pooling_', 'MaxPooling%sWithIndexes', _WithIndexes, 'Takes the elements at the maxima of a pooling.'),
            ('average_pooling_', 'AveragePooling%sGrad', _AverageGrad, 'Spreads gy over windows.'),
            ('unpooling_', 'Unpooling%sGrad', _UnpoolingGrad, 'Sums gy over windows.')):
        at(_stem + _d)(type(_name % _d.upper(), (_base,), {'__doc__': _doc}))


@at('roi_pooling_2d')
class ROIPooling2DGrad(Formula):
    """Puts gradients where the maxima of regions were, from (rois, gy)."""

    nothing_at = 1

    def __init__(self, outh, outw, spatial_scale, bottom_data_shape, argmax_data):
        self.outh, self.outw, self.spatial_scale = outh, outw, spatial_scale
        self._bottom_data_shape, self.argmax_data = bottom_data_shape, argmax_data

    def compute(self, rois, gy):
        n, c, h, w = self._bottom_data_shape
        argmax = cuda.to_cpu(self.argmax_data)
        image = cuda.to_cpu(rois.array)[:, 0].astype(int)[:, None, None, None]
        channel = numpy.arange(c)[None, :, None, None]
        there = cuda.like(argmax >= 0, gy.array)
        flat = (image * c + channel) * (h * w) + numpy.maximum(argmax, 0)
        gx = zeros(n * c * h * w, gy.dtype, gy)
        gx = _c.scatter_add(gx, (flat.ravel(),), _c.reshape(gy * there.astype(gy.dtype), (-1,)))
        return _c.reshape(gx, self._bottom_data_shape)


def _pair(x):
    return tuple(x) if hasattr(x, '__getitem__') else (x, x)


PLACES['roi_average_align_2d', '_pair'] = PLACES['pooling_2d', '_pair'] = _pair


@at('roi_pooling_2d')
def _roi_pooling_slice(size, stride, max_size, roi_offset):
    """The elements of a bin, as a slice, and their number."""
    begin, end = [min(max(k + roi_offset, 0), max_size)
                  for k in (int(numpy.floor(size * stride)), int(numpy.ceil((size + 1) * stride)))]
    return slice(begin, end), end - begin


@at('pooling_2d')
class Pooling2D(FunctionNode):
    """Base of functions of windows on images."""

    def __init__(self, ksize, stride=None, pad=0, cover_all=True):
        self.kh, self.kw = _pair(ksize)
        self.sy, self.sx = _pair(ksize if stride is None else stride)
        self.ph, self.pw = _pair(pad)
        self.cover_all, self._used_cudnn = cover_all, False

    def check_type_forward(self, in_types):
        from chainer.utils import type_check
        type_check.expect(in_types.size() == 1, in_types[0].dtype.kind == 'f', in_types[0].ndim == 4)

    def _get_pool_mode(self):
        raise NotImplementedError()


@at('pooling_nd')
class _PoolingND(FunctionNode):
    """Base of functions of windows on arrays with any number of spatial axes."""

    def __init__(self, ndim, ksize, stride=None, pad=0, cover_all=True):
        from chainer.utils.conv_nd import as_tuple
        if ndim <= 0:
            raise ValueError('pooling operation requires at least one spatial dimension.')
        self.ndim, self.ksize = ndim, as_tuple(ksize, ndim)
        self.stride = as_tuple(ksize if stride is None else stride, ndim)
        self.pad = as_tuple(pad, ndim)
        self.cover_all, self._used_cudnn = cover_all, False

    def check_type_forward(self, in_types):
        from chainer.utils import type_check
        type_check.expect(in_types.size() == 1, in_types[0].dtype.kind == 'f', in_types[0].ndim == 2 + self.ndim)

    def _get_pool_mode(self):
        raise NotImplementedError()


def _kernel(stem, name, base=None):
    from chainer.utils.conv_nd_kernel import Kernel
    cls = type(name, (base or Kernel,), {'name': name, '__doc__': (
        'The source of a CUDA kernel, which is not part of this build; generate() is an error.')})
    at(stem)(cls)
    return cls


_forward = _kernel('pooling_nd_kernel', 'PoolingNDKernelForward')
_backward = _kernel('pooling_nd_kernel', 'PoolingNDKernelBackward')
_kernel('average_pooling_nd_kernel', 'AveragePoolingNDKernelForward', _forward)
_kernel('average_pooling_nd_kernel', 'AveragePoolingNDKernelBackward', _backward)
_max = _kernel('max_pooling_nd_kernel', 'MaxPoolingNDKernelForward', _forward)
_kernel('max_pooling_nd_kernel', 'MaxPoolingNDKernelBackward', _backward)
_kernel('max_pooling_nd_kernel', 'MaxPoolingNDKernelForwardWithIndexes', _forward)
_kernel('max_pooling_nd_kernel', 'MaxPoolingNDKernelForwardWithIndexes1', _max)
