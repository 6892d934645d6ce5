# SPDX-License-Identifier: MIT
"""Classes of functions whose constructors or inputs are not those of the function: functions of a tuple of inputs and
of the parameters of the class."""
import functools
import inspect

import numpy

from chainer import _core
from chainer.backends import cuda
from chainer.utils import conv

_c = _core.functions


def _average(xs, ndim, ksize, stride, pad, cover_all, pad_value):
    x, = xs
    stride = ksize if stride is None else stride
    k, s, p = [(v,) * ndim if numpy.ndim(v) == 0 else tuple(v) for v in (ksize, stride, pad)]
    pool = functools.partial(_c.average_pooling_nd, ksize=k, stride=s, pad=p)
    if not cover_all:
        return pool(x, pad_value=pad_value)
    # Windows over the end see zeros there, which are counted if pad_value is 0.
    missing = [(conv.get_conv_outsize(n, k[i], s[i], p[i], True) - 1) * s[i] + k[i] - n - 2 * p[i]
               for i, n in enumerate(x.shape[2:])]
    widths = [(0, 0)] * 2 + [(0, max(n, 0)) for n in missing]

    def padded(a):
        return pool(_c.pad(a, widths, 'constant', [(0., 0.)] * len(widths), [(0., 0.)] * len(widths)), pad_value=0)
    y = padded(x)
    if pad_value is None:
        ones = cuda.like(numpy.ones(x.shape, x.dtype), x.array)
        y = y / padded(_core.Variable(ones, requires_grad=False))
    return y


def _average_2d(xs, ksize, stride=None, pad=0, cover_all=True):
    return _average(xs, 2, ksize, stride, pad, cover_all, 0)


def _average_nd(xs, ndim, ksize, stride=None, pad=0, cover_all=False, pad_value=0):
    return _average(xs, ndim, ksize, stride, pad, cover_all, pad_value)


def _split(xs, indices_or_sections, axis):
    from chainer.functions import _adapters
    return _adapters.split_axis(xs[0], indices_or_sections, axis)


def _tensordot(xs, axes=2, dtype=None):
    from chainer.functions import _adapters
    return _cast(_adapters.tensordot(xs[0], xs[1], axes), dtype)


def _matmul(xs, transa=False, transb=False, transc=False, dtype=None):
    y = _c.matmul(xs[0], xs[1], transa, transb)
    return _cast(_c.swapaxes(y, -1, -2) if transc and y.ndim > 1 else y, dtype)


def _cast(y, dtype):
    return y if dtype is None or y.dtype == dtype else _c.cast(y, numpy.dtype(dtype))


def _where(xs, condition=None):
    return _c.where(*xs) if condition is None else _c.where(condition, *xs)


def _ctc(inputs, blank_symbol, reduce='mean'):
    input_length, label_length, t = [getattr(a, 'array', a) for a in inputs[:3]]
    return _c.connectionist_temporal_classification(
        tuple(inputs[3:]), t, blank_symbol, input_length, label_length, reduce)


FUNCTIONS = {
    'AveragePooling2D': _average_2d, 'AveragePoolingND': _average_nd,
    'Concat': lambda xs, axis=1: _c.concat(xs, axis), 'Stack': lambda xs, axis=0: _c.stack(xs, axis),
    'Hstack': lambda xs: _c.hstack(xs), 'Vstack': lambda xs: _c.vstack(xs), 'Dstack': lambda xs: _c.dstack(xs),
    'PadSequence': lambda xs, length, padding: _c.pad_sequence(xs, length, padding),
    'TransposeSequence': lambda xs, lens: _c.transpose_sequence(xs),
    'SplitAxis': _split, 'FFT': lambda xs, method: getattr(_c, method)(xs),
    'EinSum': lambda xs, in_subs, out_sub: _c.einsum('{}->{}'.format(in_subs, out_sub), xs),
    'ScatterAdd': lambda xs, slices: _c.scatter_add(xs[0], slices, xs[1]), 'Where': _where,
    'TensorDot': _tensordot, 'MatMul': _matmul, 'ConnectionistTemporalClassification': _ctc,
}


def bound(cls, args, kwargs):
    """The parameters of a class, by name, of the arguments of its constructor."""
    signature = inspect.signature(FUNCTIONS[cls._joined])
    try:
        found = signature.bind(None, *args, **kwargs)
    except TypeError as error:
        raise TypeError('{}: {}'.format(cls._joined, error))
    found.apply_defaults()
    return dict(list(found.arguments.items())[1:])
