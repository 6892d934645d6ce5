# SPDX-License-Identifier: MIT
"""Gradients of losses."""
from chainer import _core
from chainer.functions._gradients.base import Formula, masked, Places, xp_of, zeros

_c = _core.functions
PLACES = Places('loss')
at = PLACES.at


@at('negative_sampling')
def _sigmoid_grad(x, y, gy):
    return gy * y * (1 - y)


@at('negative_sampling')
class NegativeSamplingFunctionGrad(Formula):
    """The gradients of negative_sampling with respect to x, t and W, from (x, W, gy). Each row of `samples` begins with
    the label; wx is not read."""

    nothing_at = 1

    def __init__(self, reduce, ignore_mask, sample_size, samples, wx):
        self.reduce, self.ignore_mask, self.sample_size = reduce, ignore_mask, sample_size
        self.samples, self.wx = samples, wx

    def compute(self, x, W, gy):
        rows = _c.embed_id(self.samples, W)
        wide = _c.broadcast_to(_c.expand_dims(x, 1), rows.shape)
        xp = xp_of(x)
        target = xp.zeros(self.samples.shape, x.dtype)
        target[:, 0] = 1
        g = masked(_c.sigmoid(_c.sum(rows * wide, 2)) - target, xp.asarray(self.ignore_mask)[:, None])
        g = g * _c.broadcast_to(gy if self.reduce == 'sum' else _c.expand_dims(gy, 1), g.shape)
        g = _c.broadcast_to(_c.expand_dims(g, 2), rows.shape)
        return _c.sum(g * rows, 1), _c.scatter_add(zeros(W.shape, W.dtype, W), (self.samples,), g * wide)


@at('sigmoid_cross_entropy')
class SigmoidCrossEntropyGrad(Formula):
    """(sigmoid(x) - t) gy of the labels that count, from (x, gy)."""

    def __init__(self, reduce, count, ignore_mask, t):
        self.reduce, self.count, self.ignore_mask, self.t = reduce, count, ignore_mask, t

    def compute(self, x, gy):
        g = masked(_c.sigmoid(x) - xp_of(x).asarray(self.t, x.dtype), self.ignore_mask)
        if self.reduce == 'mean':
            return g * _c.broadcast_to(gy, g.shape) / xp_of(x).asarray(self.count, x.dtype)
        return g * gy


@at('softmax_cross_entropy')
def _broadcast_to(array, shape):
    return xp_of(array).broadcast_to(array, shape)


@at('softmax_cross_entropy')
def _check_class_weight_option(class_weight):
    if class_weight is not None:
        if class_weight.ndim != 1:
            raise ValueError('class_weight.ndim should be 1')
        if class_weight.dtype.kind != 'f':
            raise ValueError('The dtype of class_weight should be \'f\'')
        if isinstance(class_weight, _core.Variable):
            raise ValueError('class_weight should be a numpy.ndarray, not a chainer.Variable')


@at('softmax_cross_entropy')
def _check_reduce_option(reduce):
    if reduce not in ('mean', 'no'):
        raise ValueError('only \'mean\' and \'no\' are valid for \'reduce\', but \'%s\' is given' % reduce)


@at('softmax_cross_entropy')
def _check_input_values(x, t, ignore_label):
    """Raises a ValueError for a label that is neither a class nor ignored."""
    if not ((t == ignore_label) | ((0 <= t) & (t < x.shape[1]))).all():
        raise ValueError('Each label `t` need to satisfy `0 <= t < x.shape[1] or t == %d`' % ignore_label)


@at('softmax_cross_entropy')
def _double_backward_softmax_cross_entropy(x, t, normalize, class_weight, ignore_label, reduce):
    from chainer import functions
    return functions.softmax_cross_entropy(x, t, normalize, True, class_weight, ignore_label, reduce, True)


PLACES['discriminative_loss', 'absolute'] = _c.absolute
PLACES['discriminative_loss', 'broadcast_to'] = _c.broadcast_to
