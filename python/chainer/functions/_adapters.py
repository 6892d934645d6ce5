# SPDX-License-Identifier: MIT
"""Functions whose Python signature differs from the C++ one."""
import ast
import inspect
import re
import warnings

import numpy

from chainer import _core
from chainer import configuration
from chainer.backends import cuda
from chainer.functions import _classes
from chainer.functions._forget import forget
from chainer import utils
from chainer.utils import argument
from chainer.utils import sparse
from chainer.utils import type_check

_c = _core.functions
Variable = _core.Variable


def _array(x):
    return x.array if isinstance(x, Variable) else x


def add(*xs):
    """Element-wise addition of two or more arrays."""
    if len(xs) == 2:
        return xs[0] + xs[1]
    return _c.add(xs)


def absolute(self):
    """Element-wise absolute value."""
    return _c.absolute(self)


def broadcast(*args):
    """Broadcasts arrays to their common shape."""
    type_check.expect(type_check.Variable(len(args), 'in_types.size') > 0)
    ys = _c.broadcast(args)
    return ys[0] if len(ys) == 1 else ys


def select_item(x, t):
    """Selects an element of each row. Negative indices count from the end, as in NumPy, except in debug mode."""
    try:
        return _c.select_item(x, t)
    except IndexError:
        ids, x_shape = _array(t), x.shape
        if configuration.config.debug or (ids < -x_shape[1]).any() or (ids >= x_shape[1]).any():
            raise
        return _c.select_item(x, cuda.get_array_module(ids).where(ids < 0, ids + x_shape[1], ids))


def identity(*inputs):
    """Returns the inputs."""
    out = tuple([_c.identity(x) for x in inputs])
    return out[0] if len(out) == 1 else out


def tree_lstm(*inputs):
    """The cell and output of a tree-structured LSTM with any number of children."""
    return _c.tree_lstm(inputs)


def copy(x, dst):
    """Copies to a device; -1 is the host."""
    if isinstance(dst, (int, numpy.integer)) and dst >= 0:
        cuda.check_cuda_available()
    return _c.copy(x, int(dst))


def cast(x, typ):
    """Converts to another dtype."""
    if x.dtype == numpy.dtype(typ):
        x = x if isinstance(x, Variable) else Variable(x, requires_grad=False)
        return _c.identity(x) if configuration.config.enable_backprop else x
    return _c.cast(x, typ)


def reshape(x, shape):
    """Changes the shape; one length may be -1."""
    shape = (shape,) if isinstance(shape, (int, numpy.integer)) else tuple(shape)
    if isinstance(x, Variable) and x.shape == shape:
        return x
    return _c.reshape(x, shape)


def pad(x, pad_width, mode, **keywords):
    """Pads an array, like numpy.pad."""
    ndim = x.ndim

    def pairs(value, kind):
        a = numpy.asarray(value, kind)
        if a.ndim < 2:
            a = numpy.broadcast_to(a, (1, 2)) if a.size != 1 else numpy.full((1, 2), a.reshape(-1)[0], kind)
        elif a.shape[1] == 1:
            a = numpy.repeat(a, 2, axis=1)
        return [tuple(p) for p in numpy.broadcast_to(a, (ndim, 2)).tolist()]
    return _c.pad(x, pairs(pad_width, int), mode, pairs(keywords.pop('constant_values', 0), float),
                  pairs(keywords.pop('end_values', 0), float))


def argmax_crf1d(cost, xs):
    """Returns the score of the best path through a chain of labels, and the labels."""
    score, path = _c.argmax_crf1d(cost, xs)
    return score, list(path)


def embed_id(x, W, ignore_label=None):
    """Returns the rows of W with the ids x. Negative ids count from the end, as in NumPy."""
    if x.ndim == 0:
        type_check.expect(type_check.get_types((_array(x),), 'in_types', False)[0].ndim >= 1)
    try:
        return _c.embed_id(x, W, ignore_label)
    except IndexError:
        ids = _array(x)
        if configuration.config.debug:
            raise ValueError('Each not ignored `x` value need to satisfy `0 <= x < len(W)`')
        below = ids < 0
        if ignore_label is not None:
            below &= ids != ignore_label
        words = W.shape[0]
        if not below.any() or (ids[below] < -words).any():
            raise
        wrapped = cuda.get_array_module(ids).where(below, ids + words, ids)
        if ignore_label is None:
            return _c.embed_id(wrapped, W, None)
        # Ignored ids are moved out of the vocabulary, beyond all wrapped ids.
        wrapped[ids == ignore_label] = -1
        return _c.embed_id(wrapped, W, -1)


def _check_ellipsis(subscripts, operands):
    """Raises an error for ellipses of different shapes, and for one that only the inputs or only the output have."""
    inputs, arrow, output = subscripts.replace(' ', '').partition('->')
    shapes = []
    for term, x in zip(inputs.split(','), operands):
        begin = term.find('...')
        if begin >= 0:
            shape = x.shape
            shapes.append(shape[begin:begin + max(len(shape) - len(term) + 3, 0)])
    if arrow and '...' in output and not shapes:
        raise ValueError('einsum: the output of {!r} has an ellipsis, the inputs have none'.format(subscripts))
    if arrow and '...' not in output and any(shapes):
        raise ValueError('einsum: {!r} does not say what becomes of the axes of the ellipsis'.format(subscripts))
    for shape in shapes[1:]:
        if shape != shapes[0]:
            raise type_check.InvalidType('the same axes for each ellipsis of {!r}'.format(subscripts),
                                         '{} and {}'.format(shapes[0], shape))


def dstack(xs):
    """Joins arrays along the third axis."""
    types = type_check.get_types(tuple(xs), 'in_types', False)
    for i in range(1, len(xs)):
        type_check.expect(types[0].ndim == types[i].ndim)
    return _c.dstack(xs)


def einsum(*operands):
    """Einstein summation: einsum('ij,jk', a, b), or einsum(a, [0, 1], b, [1, 2], [0, 2])."""
    if not operands:
        raise ValueError('must specify the einstein sum subscripts string and at least one operand')
    if isinstance(operands[0], str):
        if '.' in operands[0]:
            _check_ellipsis(operands[0], operands[1:])
        return _c.einsum(operands[0], operands[1:])

    def text(sublist):
        return ''.join(['...' if i is Ellipsis else chr(ord('a') + i) if i < 26 else chr(ord('A') + i - 26)
                        for i in sublist])
    arrays, subscripts = operands[0:len(operands) // 2 * 2:2], operands[1::2]
    full = ','.join([text(s) for s in subscripts])
    if len(operands) % 2:
        full += '->' + text(operands[-1])
    if '.' in full:
        _check_ellipsis(full, arrays)
    return _c.einsum(full, arrays)


def split_axis(x, indices_or_sections, axis, force_tuple=True):
    """Splits along an axis, into equal parts or at the given positions."""
    if isinstance(indices_or_sections, cuda.ndarray):
        indices_or_sections = indices_or_sections.get()
    if isinstance(indices_or_sections, numpy.ndarray) and indices_or_sections.ndim == 0:
        indices_or_sections = int(indices_or_sections)
    if isinstance(indices_or_sections, (int, numpy.integer)):
        ys = _c.split_axis(x, sections=int(indices_or_sections), axis=axis)
    elif isinstance(indices_or_sections, (list, tuple, numpy.ndarray)):
        ys = _c.split_axis(x, indices=indices_or_sections, axis=axis)
    else:
        raise TypeError('indices_or_sections must be integer or 1-D array')
    return ys[0] if len(ys) == 1 and not force_tuple else ys


def tensordot(a, b, axes=2):
    """Tensor product summed over axes: the last axes of a and the first of b, or the given axes."""
    if isinstance(axes, (int, numpy.integer)):
        return _c.tensordot(a, b, int(axes))
    if len(axes) != 2:
        raise ValueError('axes must be a pair of sequences of integers when it is a list or tuple.')
    a_axes, b_axes = [(x,) if isinstance(x, (int, numpy.integer)) else tuple(x) for x in axes]
    if len(a_axes) != len(b_axes):
        raise ValueError('The length of axes sequences must be the same: {} and {}'.format(a_axes, b_axes))
    return _c.tensordot(a, b, a_axes=a_axes, b_axes=b_axes)


def batch_matmul(a, b, transa=False, transb=False):
    """Batched matrix product; an older name of matmul()."""
    warnings.warn('batch_matmul is deprecated. Use matmul instead.', DeprecationWarning)
    return _c.batch_matmul(a, b, transa, transb)


def mean(x, axis=None, weights=None, keepdims=False):
    """The weighted average; another name of average()."""
    return _c.average(x, axis, weights, keepdims)


def dropout(x, ratio=.5, *, mask=None, return_mask=False, **kwargs):
    """Sets random elements to zero during training."""
    argument.parse_kwargs(kwargs, train='train argument is not supported anymore. Use chainer.using_config')
    if configuration.config.train:
        if mask is None and not return_mask and _core.is_recording():
            return x * _classes.recorded(lambda a: _classes._zero(ratio, a), x)
        node = _classes.Dropout(ratio, mask, return_mask)
        y, = node.apply((x,))
        return (y, node.mask) if return_mask else y
    y = x if isinstance(x, Variable) else Variable(x, requires_grad=False)
    return (y, None) if return_mask else y


def gaussian(mean, ln_var, *, eps=None, return_eps=False):
    """Normally distributed values."""
    if eps is None and not return_eps and _core.is_recording():
        return mean + _c.exp(ln_var * 0.5) * _classes.recorded(_classes._normal, ln_var)
    node = _classes.Gaussian(eps)
    y, = node.apply((mean, ln_var))
    return (y, node.eps) if return_eps else y


def simplified_dropconnect(x, W, b=None, ratio=0.5, train=True, mask=None, use_batchwise_mask=True):
    """A linear map whose weights are set to zero at random during training."""
    if not train:
        ratio = 0
    if mask is not None and not isinstance(mask, Variable):
        expected = ((x.shape[0],) if use_batchwise_mask else ()) + W.shape
        if mask.shape != expected:
            raise type_check.InvalidType('mask.shape == {}'.format(expected), 'mask.shape == {}'.format(mask.shape))
    shape, wide = x.shape, W.shape
    if len(shape) < 2 or utils.size_of_shape(shape[1:]) != wide[1]:
        raise type_check.InvalidType('x with rows of {}'.format(wide[1]), 'x.shape == {}'.format(shape))
    if b is not None and b.dtype != x.dtype and configuration.config.type_check:
        raise type_check.InvalidType('b.dtype == {}'.format(x.dtype), 'b.dtype == {}'.format(b.dtype))
    node = _classes.SimplifiedDropconnect(ratio, mask, use_batchwise_mask)
    return node.apply((x, W) if b is None else (x, W, b))[0]


def rrelu(x, l=1. / 8, u=1. / 3, *, r=None, return_r=False, **kwargs):
    """Leaky ReLU with random slopes between l and u during training, otherwise with their mean."""
    argument.parse_kwargs(kwargs, train='train argument is not supported anymore. Use chainer.using_config')
    if r is None and configuration.config.train:
        if not return_r and _core.is_recording():
            return _c.rrelu(x, l, u, r=_classes.recorded(lambda a: _classes._slopes(l, u, a), x))
        r = _classes._slopes(l, u, _array(x))
    y = _c.rrelu(x, l, u) if r is None else _c.rrelu(x, l, u, r=r)
    return (y, r) if return_r else y


def zoneout(h, x, ratio=.5, **kwargs):
    """Keeps random elements of h during training."""
    argument.check_unexpected_kwargs(
        kwargs, train='train argument is not supported anymore. Use chainer.using_config')
    argument.assert_kwargs_empty(kwargs)
    if configuration.config.train:
        if _core.is_recording():
            kept = _classes.recorded(lambda a: numpy.asarray(numpy.random.rand(*a.shape) < ratio, a.dtype), h)
            return h * kept + x * (1 - kept)
        return _classes.Zoneout(ratio).apply((h, x))[0]
    return h * ratio + x * (1 - ratio)


def batch_normalization(x, gamma, beta, eps=2e-5, running_mean=None, running_var=None, decay=0.9, axis=None, **kwargs):
    """Normalization by the statistics of the batch."""
    argument.parse_kwargs(kwargs, train='train argument is not supported anymore. Use chainer.using_config')
    _warn_of_one(x, axis)
    return _c.batch_normalization(x, gamma, beta, eps, running_mean, running_var, decay, axis)


def group_normalization(x, groups, gamma, beta, eps=1e-5):
    """Normalization of groups of channels."""
    if x.ndim <= 2:
        raise ValueError('group_normalization: x needs more than two axes, it has shape {}'.format(x.shape))
    return _c.group_normalization(x, groups, gamma, beta, eps)


def fixed_batch_normalization(x, gamma, beta, mean, var, eps=2e-5, axis=None):
    """Normalization by given statistics."""
    return _c.fixed_batch_normalization(x, gamma, beta, mean, var, eps, axis)


def fixed_batch_renormalization(x, gamma, beta, mean, var, eps=2e-5):
    """Normalization by given statistics; an older name of fixed_batch_normalization()."""
    warnings.warn('fixed_batch_renormalization is deprecated. Use fixed_batch_normalization instead.',
                  DeprecationWarning)
    return _c.fixed_batch_renormalization(x, gamma, beta, mean, var, eps)


def softmax_cross_entropy(x, t, normalize=True, cache_score=True, class_weight=None, ignore_label=-1, reduce='mean',
                          enable_double_backprop=False, **kwargs):
    """The cross entropy of softmax(x) and labels; label_smoothing is the share of each that all classes get."""
    label_smoothing, = argument.parse_kwargs(kwargs, ('label_smoothing', 0.0))
    if class_weight is None:
        return _c.softmax_cross_entropy(x, t, normalize, cache_score, None, ignore_label, reduce,
                                        enable_double_backprop, label_smoothing)
    if isinstance(class_weight, Variable):
        raise ValueError('class_weight should be a numpy.ndarray, not a chainer.Variable')
    if class_weight.ndim != 1:
        raise ValueError('class_weight.ndim should be 1')
    if class_weight.dtype.kind != 'f':
        raise ValueError('The dtype of class_weight should be \'f\'')
    return _c.softmax_cross_entropy(x, t, normalize, cache_score, class_weight, ignore_label, reduce,
                                    enable_double_backprop, label_smoothing)


def hinge(x, t, norm='L1', reduce='mean'):
    """The one-versus-all hinge loss."""
    if norm not in ('L1', 'L2'):
        raise NotImplementedError('norm should be either \'L1\' or \'L2\'')
    return _c.hinge(x, t, norm, reduce)


def connectionist_temporal_classification(x, t, blank_symbol, input_length=None, label_length=None, reduce='mean'):
    """The connectionist temporal classification (CTC) loss of unaligned label sequences."""
    if not isinstance(x, (list, tuple)):
        raise TypeError('x must be a list of Variables')
    return _c.connectionist_temporal_classification(x, t, blank_symbol, input_length, label_length, reduce)


def _on_axes(name, ndim):
    function = getattr(_c, name)

    def call(x, *args, **kwargs):
        there = x.ndim - 2
        if there != ndim:
            raise ValueError('The number of dimensions under channel dimension of the input `x` should be {}. But the '
                             'actual ndim was {}.'.format(ndim, there))
        return function(x, *args, **kwargs)
    call.__name__ = call.__qualname__ = name
    line, _, call.__doc__ = function.__doc__.partition('\n\n')
    call.__signature__ = inspect.Signature([
        inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD,
                          default=ast.literal_eval(default) if default else inspect.Parameter.empty)
        for n, default in re.findall(r'[(,] ?(\w+): [^=,)]*(?:= ([^,)]+))?', line.split(' -> ')[0])])
    call.__module__ = __name__
    return call


for _name in ('convolution', 'deconvolution', 'average_pooling', 'max_pooling', 'unpooling'):
    globals()[_name + '_1d'] = _on_axes(_name + '_1d', 1)
    globals()[_name + '_3d'] = _on_axes(_name + '_3d', 3)


def _warn_of_one(x, axis):
    axes = (0,) + tuple(range(2, x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else axis
    count = 1
    for i in axes:
        count *= x.shape[i] if i < x.ndim else 1
    if count == 1:
        warnings.warn('A batch with no more than one sample has been given to F.batch_normalization. '
                      'F.batch_normalization will always output a zero tensor for such batches. This could be caused '
                      'by incorrect configuration in your code (such as running evaluation while '
                      'chainer.config.train=True), but could also happen in the last batch of training if '
                      'non-repeating iterator is used.', UserWarning, stacklevel=3)


def _no_cudnn(kwargs):
    argument.parse_kwargs(
        kwargs, deterministic='deterministic argument is not supported anymore. Use chainer.using_config'
        '(\'cudnn_deterministic\', value) context where value is either `True` or `False`.')


def convolution_2d(x, W, b=None, stride=1, pad=0, cover_all=False, *, dilate=1, groups=1, **kwargs):
    """Two-dimensional convolution."""
    _no_cudnn(kwargs)
    return _c.convolution_2d(x, W, b, stride, pad, cover_all, dilate, groups)


def deconvolution_2d(x, W, b=None, stride=1, pad=0, outsize=None, *, dilate=1, groups=1, **kwargs):
    """Two-dimensional transposed convolution."""
    _no_cudnn(kwargs)
    return _c.deconvolution_2d(x, W, b, stride, pad, outsize, dilate, groups)


def precision(y, t, label_num=None, ignore_label=-1):
    """The precision and the support of each label."""
    return _c.precision(y, t, label_num, ignore_label=ignore_label)


def recall(y, t, label_num=None, ignore_label=-1):
    """The recall and the support of each label."""
    return _c.recall(y, t, label_num, ignore_label=ignore_label)


def f1_score(y, t, label_num=None, ignore_label=-1):
    """The F1 score and the support of each label."""
    return _c.f1_score(y, t, label_num, ignore_label=ignore_label)


def classification_summary(y, t, label_num=None, beta=1.0, ignore_label=-1):
    """Precision, recall, F-beta and support of each label."""
    return _c.classification_summary(y, t, label_num, beta, ignore_label)


def r2_score(pred, true, sample_weight=None, multioutput='uniform_average'):
    """The coefficient of determination."""
    if sample_weight is not None:
        raise NotImplementedError()
    return _c.r2_score(pred, true, multioutput)


def sparse_matmul(a, b, transa=False, transb=False):
    """The product of a sparse and a dense matrix, or of batches of matrices."""
    if isinstance(a, sparse.CooMatrix) and isinstance(b, (Variable, numpy.ndarray, cuda.ndarray)):
        return _c.sparse_matmul(a.data, a.row, a.col, a.shape, a.order, b, True, transa, transb)
    if isinstance(b, sparse.CooMatrix) and isinstance(a, (Variable, numpy.ndarray, cuda.ndarray)):
        return _c.sparse_matmul(b.data, b.row, b.col, b.shape, b.order, a, False, transa, transb)
    raise ValueError('This combination of type of inputs is not supported.\na: {}\nb: {}'.format(type(a), type(b)))


def functions():
    """The functions of this module by name."""
    found = {name: f for name, f in globals().items()
             if callable(f) and not name.startswith('_') and getattr(f, '__module__', None) == __name__
             and name != 'functions'}
    for name, f in found.items():  # the documentation from the header
        f.__doc__ = getattr(_c, name, f).__doc__.partition('\n\n')[2] or f.__doc__
    found['forget'] = forget
    return found
