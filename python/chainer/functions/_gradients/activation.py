# SPDX-License-Identifier: MIT
"""Gradients of activation functions."""
import numpy

from chainer import _core
from chainer.functions._gradients.base import Formula, masked, Old, Places, Variable, vjp, xp_of, zeros

_c = _core.functions
PLACES = Places('activation')
at = PLACES.at


@at('clipped_relu')
class ClippedReLUGrad2(Formula):
    """gy where 0 < x < z."""

    def __init__(self, x, z):
        self.x, self.cap = x, z

    def compute(self, gy):
        return masked(gy, (self.x > 0) & (self.x < self.cap))


@at('clipped_relu')
class ClippedReLUGrad3(ClippedReLUGrad2):
    """gy where 0 < x < z, given the values y as well."""

    def __init__(self, x, y, z):
        super(ClippedReLUGrad3, self).__init__(x, z)
        self.y = y


@at('elu')
class ELUGrad(Formula):
    """The derivative of elu at x."""

    def __init__(self, alpha):
        self.alpha = alpha

    def compute(self, x):
        return vjp(lambda v: _c.elu(v, self.alpha), [x], [Variable(xp_of(x).ones_like(x.array))])[0]


@at('hard_sigmoid')
class HardSigmoidGrad(Formula):
    """0.2 gy where -2.5 < x < 2.5."""

    def __init__(self, x):
        self.x = x

    def compute(self, gy):
        return masked(gy * 0.2, (self.x > -2.5) & (self.x < 2.5))


@at('leaky_relu')
class _LeakyReLUGrad(Formula):
    """gy where the condition is true, elsewhere slope gy."""

    def __init__(self, cond, slope):
        self.cond, self.slope = cond, slope

    def compute(self, gy):
        return gy * xp_of(gy).where(self.cond, 1, self.slope).astype(gy.dtype)


@at('rrelu')
class _RReLUGrad(Formula):
    """gy where y >= 0, elsewhere r gy."""

    def __init__(self, x, y, r):
        self.x, self.y, self.r = x, y, r

    def compute(self, gy):
        return gy * xp_of(gy).where(self.y >= 0, 1, self.r).astype(gy.dtype)


@at('log_softmax')
class LogSoftmaxGrad(Formula):
    """gy - exp(y) sum(gy)."""

    def __init__(self, x_xp, x_shape, x_dtype, axis):
        self._x_xp, self._x_shape, self._x_dtype, self.axis = x_xp, x_shape, x_dtype, axis

    def compute(self, y, gy):
        total = _c.broadcast_to(_c.sum(gy, self.axis, True), gy.shape)
        return gy - _c.exp(y) * total


@at('log_softmax')
def logsumexp(x, axis):
    """log(sum(exp(x))) of an array along an axis, which keeps the length 1."""
    y = _c.logsumexp(Variable(x, requires_grad=False), axis).array
    return xp_of(y).expand_dims(y, axis)


@at('log_softmax')
def _log_softmax(x, axis=1):
    return _c.log_softmax(Variable(x, requires_grad=False), axis).array


def _lstm_gradients(c_prev, a, i, f, o, c, gc, gh):
    """The gradients of an LSTM's step with respect to c_prev and the gates before their activations, given its cell c
    and the gradients of c and h."""
    a, i, f, o, tanh_c = _c.tanh(a), _c.sigmoid(i), _c.sigmoid(f), _c.sigmoid(o), _c.tanh(c)
    g = gh * o * (1 - tanh_c * tanh_c) + gc
    return (g * f, g * i * (1 - a * a), g * a * i * (1 - i), g * c_prev * f * (1 - f), gh * tanh_c * o * (1 - o))


@at('lstm')
class LSTMGrad(Old):
    """The gradients of lstm with respect to the cell and the gates, from (c_prev, x, c_next, gc, gh)."""

    def compute(self, c_prev, x, c_next, gc, gh):
        n = len(x.array)
        gates = _c.split_axis(_c.reshape(x, (n, x.shape[1] // 4, 4) + x.shape[2:]), 4, 2)
        gates = [_c.reshape(v, (n, x.shape[1] // 4) + x.shape[2:]) for v in gates]
        rows = [v if len(v.array) == n else v[:n] for v in (c_prev, c_next, gc)]
        found = _lstm_gradients(rows[0], *gates, rows[1], rows[2], gh)
        gc_prev = found[0] if len(gc.array) == n else _c.concat([found[0], gc[n:]], 0)
        return gc_prev, _c.reshape(_c.stack(found[1:], 2), x.shape)

    def apply(self, inputs):
        c_prev, x, c_next, gc, gh = inputs
        whole, batch = getattr(c_next, 'array', c_next), len(getattr(x, 'array', x))
        return super(LSTMGrad, self).apply(
            (c_prev, x, c_next, zeros(whole.shape, whole.dtype, whole) if gc is None else gc,
             zeros(whole[:batch].shape, whole.dtype, whole) if gh is None else gh))


@at('lstm')
def lstm_grad_grad(c_prev, a, i, f, o, c, gc, gh, ggc_prev, gga, ggi, ggf, ggo, gc_prev, ga, gi, gf, go, gc_next, ggc,
                   ggh):
    """Computes the gradient of an LSTM's gradient into the arrays gc_prev, ga, gi, gf, go, gc_next, ggc and ggh."""
    xp = xp_of(a)
    inputs = [Variable(xp.array(v)) for v in (c_prev, a, i, f, o, c, gc, gh)]
    over = [Variable(xp.array(xp.broadcast_to(xp.asarray(g), a.shape), a.dtype))
            for g in (ggc_prev, gga, ggi, ggf, ggo)]
    for to, g in zip((gc_prev, ga, gi, gf, go, gc_next, ggc, ggh), vjp(_lstm_gradients, inputs, over)):
        to[...] = g.array


@at('prelu')
class PReLUFunctionGrad(Formula):
    """The gradients of prelu with respect to x and W, from (x, W, gy); negative elements of `cond` have the slope."""

    def __init__(self, cond, reduce_axes, extended_shape):
        self.cond, self.reduce_axes, self.extended_shape = cond, reduce_axes, extended_shape

    def compute(self, x, W, gy):
        negative = xp_of(gy).asarray(self.cond < 0, gy.dtype)
        slopes = _c.broadcast_to(_c.reshape(W, self.extended_shape), gy.shape)
        gx = gy * (1 - negative) + gy * slopes * negative
        gW = x * gy * negative
        if self.reduce_axes is not None:
            gW = _c.reshape(_c.sum(gW, self.reduce_axes), W.shape) if self.reduce_axes else gW
        return gx, gW


def _masks(chapter_class, doc):
    return at('relu')(type(chapter_class, (ReLUGrad3Base,), {'__doc__': doc}))


@at('relu')
class ReLUGrad2(Formula):
    """gy where b > 0."""

    def __init__(self, b):
        super(ReLUGrad2, self).__init__()
        self.b = getattr(b, 'array', b)

    def compute(self, gy):
        return masked(gy, self.b > 0)


@at('relu')
class ReLUGrad3Base(Formula):
    """gy where y > 0, given the inputs x as well."""

    def __init__(self, x, y):
        super(ReLUGrad3Base, self).__init__()
        self.x, self.y = x, y

    def compute(self, gy):
        return masked(gy, getattr(self.y, 'array', self.y) > 0)


_masks('ReLUGradCudnn', 'The gradient of relu where cuDNN computes it.')
_masks('ReLUGradIdeep', 'The gradient of relu where iDeep computes it.')


@at('softmax')
class _SoftmaxGrad(Formula):
    """y (gy - sum(y gy))."""

    def __init__(self, axis):
        self.axis = axis

    def compute(self, y, gy):
        return y * (gy - _c.broadcast_to(_c.sum(y * gy, self.axis, True), y.shape))


@at('softplus')
class SoftplusGrad(Formula):
    """sigmoid(beta x) gy, from (x, gy)."""

    def __init__(self, inputs):
        super(SoftplusGrad, self).__init__()
        self.beta = inputs[0]

    def compute(self, x, gy):
        return _c.sigmoid(x * self.beta) * gy


@at('swish')
class SwishGrad(Formula):
    """The gradients of swish with respect to x and beta, from (x, beta, gy)."""

    def __init__(self, extended_shape, reduction_axes):
        self.extended_shape, self.reduction_axes = extended_shape, reduction_axes

    def compute(self, x, beta, gy):
        return vjp(_c.swish, [x, beta], [gy])


@at('lstm', 'slstm')
def _extract_gates(x):
    """The four gates of an LSTM, which take turns along axis 1."""
    r = x.reshape((x.shape[0], x.shape[1] // 4, 4) + x.shape[2:])
    return tuple([r[:, :, i] for i in range(4)])


def _sigmoid(x, xp=numpy):
    """1 / (1 + exp(-x)) of an array."""
    half = x.dtype.type(0.5)
    return xp.tanh(x * half) * half + half


def _grad_sigmoid(y):
    return y * (1 - y)


def _grad_grad_sigmoid(y):
    return y * (1 - y) * (1 - 2 * y)


def _grad_tanh(y):
    return 1 - y * y


def _grad_grad_tanh(y, gx):
    return -2 * y * gx


for _function in (_sigmoid, _grad_sigmoid, _grad_tanh):
    at('lstm', 'slstm', 'tree_lstm')(_function)
for _function in (_grad_grad_sigmoid, _grad_grad_tanh):
    at('lstm')(_function)
at('swish')(_sigmoid)


def _tree_gates(x, n_split=5):
    """The gates of a tree-structured LSTM, one after the other along axis 1."""
    n = x.shape[1] // n_split
    return tuple([x[:, i * n:(i + 1) * n] for i in range(n_split)])


PLACES['tree_lstm', '_extract_gates'] = _tree_gates


@at('prelu')
def _get_extended_shape(W, x):
    """The shape of W with axes of length 1 for the batch and the axes after those of W."""
    return (1,) + W.shape + (1,) * (x.ndim - W.ndim - 1)


@at('prelu')
def _get_reduce_axes(W, x):
    """The axes of x that W does not have."""
    return (0,) + tuple(range(W.ndim + 1, x.ndim))


PLACES['swish', '_get_extended_shape'] = _get_extended_shape
PLACES['swish', '_get_reduction_axes'] = _get_reduce_axes


@at('relu')
def _heaviside(x):
    return (x > 0).astype(x.dtype)
