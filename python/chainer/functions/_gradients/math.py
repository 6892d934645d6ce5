# SPDX-License-Identifier: MIT
"""Gradients of mathematical functions."""
import math
import string

import numpy

from chainer import _core
from chainer.function_node import FunctionNode
from chainer.functions._gradients.base import Formula, masked, Places, Variable, vjp, xp_of

_c = _core.functions
PLACES = Places('math')
at = PLACES.at


def _of(stem, name, function, doc):
    """A class of the gradients of a function, from its inputs and gy."""
    def compute(self, *xs):
        return vjp(function, xs[:-1], xs[-1:])
    at(stem)(type(name, (Formula,), {'compute': compute, '__doc__': doc}))


for _stem, _names in (('trigonometric', ('Sin', 'Cos', 'Arcsin', 'Arccos', 'Arctan')),
                      ('batch_l2_norm_squared', ('BatchL2NormSquared',))):
    for _name in _names:
        _function = getattr(_c, 'batch_l2_norm_squared' if _stem != 'trigonometric' else _name.lower())
        _of(_stem, _name + 'Grad', _function, 'The gradient of %s, from (x, gy).' % _function.__name__)
_of('trigonometric', 'Arctan2Grad', _c.arctan2, 'The gradients of arctan2, from (x1, x2, gy).')
_of('basic_math', 'DivGrad', lambda a, b: a / b, 'The gradients of a / b, from (a, b, gy).')
_of('linear_interpolate', 'LinearInterpolateGrad', _c.linear_interpolate,
    'The gradients of linear_interpolate, from (p, x, y, gz).')


@at('basic_math')
class AbsoluteGrad(Formula):
    """sign(x) gy."""

    def __init__(self, x):
        super(AbsoluteGrad, self).__init__()
        self.x = x

    def compute(self, gy):
        return gy * xp_of(gy).asarray(xp_of(gy).sign(self.x), gy.dtype)


@at('basic_math')
class MultiAdd(Formula):
    """The sum of its inputs."""

    def compute(self, *xs):
        return _c.add(xs) if len(xs) > 1 else _c.identity(xs[0])


@at('basic_math')
class DivFromConstantGrad(Formula):
    """-value gy / x^2, from (x, gy)."""

    def __init__(self, value):
        super(DivFromConstantGrad, self).__init__()
        self.value = value

    def compute(self, x, gy):
        return -self.value * gy / (x * x)


@at('basic_math')
class PowVarVarGrad(Formula):
    """The gradients of a ** b, from (a, b, gy); y is the value."""

    def __init__(self, y):
        self.y = y

    def compute(self, a, b, gy):
        return vjp(lambda p, q: p ** q, [a, b], [gy])


@at('basic_math')
class PowVarConstGrad(Formula):
    """value x ** (value - 1) gy, from (x, gy)."""

    def __init__(self, value):
        self.value = value

    def compute(self, x, gy):
        return vjp(lambda v: v ** self.value, [x], [gy])[0]


@at('basic_math')
class PowConstVarGrad(Formula):
    """log(value) y gy, from (y, gy)."""

    def __init__(self, value):
        self.value = value

    def compute(self, y, gy):
        return y * xp_of(y).asarray(numpy.log(self.value), y.dtype) * gy


@at('basic_math')
def install_variable_arithmetics():
    """Does nothing: Variable has its operators."""


def _operators():
    def reverse(f):
        return lambda self, rhs: f(rhs, self)
    rows = {'sub': lambda a, b: a - b, 'mul': lambda a, b: a * b, 'div': lambda a, b: a / b,
            'floordiv': lambda a, b: a // b, 'pow': lambda a, b: a ** b, 'matmul': lambda a, b: a @ b}

    def method(function):
        def call(self, rhs):
            return function(self if isinstance(self, Variable) else Variable(self), rhs)
        return call
    for name, f in rows.items():
        for key, g in ((name, f), ('r' + name, reverse(f))):
            call = method(g)
            call.__name__ = call.__qualname__ = key
            call.__doc__ = 'The operator __%s__ of Variable.' % key.replace('div', 'truediv').replace(
                'floortruediv', 'floordiv')
            if key != 'rmul':
                at('basic_math')(call)

    def neg(self):
        """Element-wise negation."""
        return -(self if isinstance(self, Variable) else Variable(self))
    at('basic_math')(neg)


_operators()


@at('clip')
class ClipGrad(Formula):
    """gy where x_min <= x <= x_max."""

    def __init__(self, x, x_min, x_max):
        self.cond = xp_of(x).ones(x.shape, bool)
        if x_min is not None:
            self.cond &= x >= x_min
        if x_max is not None:
            self.cond &= x <= x_max

    def compute(self, gy):
        return masked(gy, self.cond)


@at('cumprod')
class Cumprodsum(Formula):
    """The sums s_i = s_{i - 1} xmul_{i - 1} + xadd_i along an axis, from (xmul, xadd)."""

    def __init__(self, axis):
        self.axis = axis

    def compute(self, xmul, xadd):
        added = _c.separate(xadd, self.axis)
        rows = [added[0]]
        for m, a in zip(_c.separate(xmul, self.axis) if xmul.shape[self.axis] else (), added[1:]):
            rows.append(rows[-1] * m + a)
        return _c.stack(rows, self.axis)


@at('einsum')
class DiagEinSum(Formula):
    """An einsum whose output may repeat a subscript, which puts values on a diagonal, or have one that no input has."""

    def __init__(self, in_subs, out_sub, out_shape):
        self.in_subs, self.out_sub, self.out_shape = in_subs, out_sub, out_shape

    def compute(self, *xs):
        known = [s for s in dict.fromkeys(self.out_sub) if s in self.in_subs]
        y = _c.einsum('%s->%s' % (self.in_subs, ''.join(known)), xs)
        # A new axis for each subscript of the output; all but the diagonal is multiplied by 0.
        first = {s: self.out_sub.index(s) for s in self.out_sub}
        order = sorted(known, key=first.get)
        y = _c.transpose(y, tuple([known.index(s) for s in order])) if order != known else y
        shape = [n if s in known and first[s] == k else 1 for k, (s, n) in enumerate(zip(self.out_sub, self.out_shape))]
        y = _c.broadcast_to(_c.reshape(y, tuple(shape)), tuple(self.out_shape))
        mask, grid = None, numpy.indices(self.out_shape, sparse=True)
        for k, s in enumerate(self.out_sub):
            if first[s] != k:
                here = grid[k] == grid[first[s]]
                mask = here if mask is None else mask & here
        return y if mask is None else masked(y, numpy.broadcast_to(mask, self.out_shape))


@at('matmul')
class BatchMatMulGrad(Formula):
    """The gradients of batch_matmul, from (a, b, gy)."""

    def __init__(self, transa=False, transb=False):
        self.transa, self.transb = transa, transb

    def compute(self, a, b, gy):
        return vjp(lambda p, q: _c.batch_matmul(p, q, self.transa, self.transb), [a, b], [gy])


class _Where(Formula):
    def __init__(self, x1, x2):
        self.cond = type(self)._first(x1, x2)

    def compute(self, gy):
        return masked(gy, self.cond), masked(gy, ~self.cond)


at('maximum')(type('MaximumGrad', (_Where,), {
    '_first': staticmethod(lambda a, b: a >= b), '__doc__': 'gy where x1 >= x2, and gy where x1 < x2.'}))
at('minimum')(type('MinimumGrad', (_Where,), {
    '_first': staticmethod(lambda a, b: a <= b), '__doc__': 'gy where x1 <= x2, and gy where x1 > x2.'}))


@at('minmax')
class SelectorBase(FunctionNode):
    """Base of functions that select an element along axes."""

    def __init__(self, axis=None, keepdims=False):
        from chainer.functions._gradients.axes import check_axes
        self.keepdims = keepdims
        self.axis = check_axes(axis)

    def _fwd(self, x, xp):
        raise NotImplementedError('_fwd should be implemented in sub-class.')

    def forward(self, inputs):
        self.retain_inputs((0,))
        self.retain_outputs((0,))
        xp = xp_of(inputs[0])
        return xp.asarray(self._fwd(inputs[0], xp)),

    def backward(self, indexes, grad_outputs):
        x, y, gy = self.get_retained_inputs()[0], self.get_retained_outputs()[0], grad_outputs[0]
        if self.axis is not None and not self.keepdims:
            axes = tuple(sorted([a % x.ndim for a in self.axis]))
            shape = tuple([1 if k in axes else n for k, n in enumerate(x.shape)])
            y, gy = _c.reshape(y, shape), _c.reshape(gy, shape)
        return masked(_c.broadcast_to(gy, x.shape), x.array == xp_of(y).broadcast_to(y.array, x.shape)),


@at('minmax')
class IndexSelectorBase(FunctionNode):
    """Base of functions that return the index of a selected element along an axis."""

    def __init__(self, axis=None):
        if axis is not None and not isinstance(axis, int):
            raise TypeError('axis should be None or int, not {}'.format(type(axis)))
        self.axis = axis

    def _fwd(self, x, xp):
        raise NotImplementedError('_fwd should be implemented in sub-class.')

    def forward(self, inputs):
        xp = xp_of(inputs[0])
        return xp.asarray(self._fwd(inputs[0], xp)),

    def backward(self, indexes, grad_outputs):
        return None,


class _Coo(Formula):
    def __init__(self, sp_row, sp_col, sp_shape, sp_order='other', transa=False, transb=False, transc=False,
                 dtype=None):
        if sp_row.ndim != sp_col.ndim:
            raise ValueError('ndim of sp_row and sp_col must be the same.')
        if sp_row.ndim != 1 and sp_row.ndim != 2:
            raise ValueError('ndim of sp_row and sp_col must be one or two.')
        self.sp_row, self.sp_col, self.sp_shape, self.sp_order = sp_row, sp_col, sp_shape, sp_order
        self.transa, self.transb, self.transc, self.dtype = transa, transb, transc, dtype


@at('sparse_matmul')
class CooMatMul(_Coo):
    """The product of a sparse matrix and a dense one, from their elements; transc transposes the result."""

    def compute(self, sp, dn):
        y = _c.sparse_matmul(sp, self.sp_row, self.sp_col, tuple(self.sp_shape), self.sp_order, dn, True, self.transa,
                             self.transb)
        y = _c.swapaxes(y, -1, -2) if self.transc else y
        return y if self.dtype is None else _c.cast(y, numpy.dtype(self.dtype))


@at('sparse_matmul')
class CooMatMulGradSP(_Coo):
    """The elements of the product of two dense matrices where a sparse matrix has elements."""

    def compute(self, a, b):
        def rows(m, trans, at):
            m = _c.swapaxes(m, -1, -2) if trans else m
            return _c.get_item(m, at)
        row, col = (self.sp_col, self.sp_row) if self.transc else (self.sp_row, self.sp_col)
        xp = xp_of(row)
        at_row, at_col = xp.maximum(row, 0), xp.maximum(col, 0)
        if a.ndim == 2:
            lines, columns = rows(a, self.transa, at_row), rows(b, not self.transb, at_col)
        else:
            batch = xp.arange(len(a))[:, None]
            lines, columns = rows(a, self.transa, (batch, at_row)), rows(b, not self.transb, (batch, at_col))
        y = masked(_c.sum(lines * columns, -1), (row >= 0) & (col >= 0))
        return y if self.dtype is None else _c.cast(y, numpy.dtype(self.dtype))


@at('sqrt')
class RsqrtGPU(FunctionNode):
    """1 / sqrt(x) on GPUs."""

    label = 'rsqrt'

    def forward_gpu(self, inputs):
        raise RuntimeError('CUDA is not available in this build')


for _stem in ('erfcinv', 'erfinv'):
    PLACES[_stem, 'BACKWORDC'] = math.sqrt(math.pi) / 2
for _stem in ('erfcinv', 'erfcx', 'erfinv', 'ndtri'):
    PLACES[_stem, 'available_cpu'] = True
PLACES['einsum', 'einsum_symbols'] = string.ascii_uppercase + string.ascii_lowercase
PLACES['einsum', 'einsum_symbols_set'] = set(string.ascii_letters)
