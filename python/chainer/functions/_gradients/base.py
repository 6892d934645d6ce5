# SPDX-License-Identifier: MIT
"""Nodes that are defined by an expression of functions."""
from chainer import _core
from chainer import configuration
from chainer.backends import cuda
from chainer.function_node import FunctionNode, grad

_c = _core.functions
Variable = _core.Variable


xp_of = cuda.get_array_module


def zeros(shape, dtype, there):
    """Returns a variable of zeros on the device of an array or a variable."""
    return Variable(xp_of(there).zeros(shape, dtype), requires_grad=False)


def vjp(function, xs, gys, wanted=None, fill=True):
    """Returns the gradients of function(*xs) with respect to the variables of `wanted` (by default xs), given those of
    its results (None for no gradient). Variables without a path to a result have zeros, or None unless `fill`."""
    xs = [Variable(x.array) if not x.requires_grad else x for x in xs]
    with configuration.using_config('enable_backprop', True):
        ys = function(*xs)
    live = [(y, g) for y, g in zip(ys if isinstance(ys, (list, tuple)) else (ys,), gys) if g is not None]
    xs = xs if wanted is None else [xs[i] for i in wanted]
    if not live:
        return tuple([zeros(x.shape, x.dtype, x) for x in xs])
    gxs = grad([y for y, _ in live], xs, [g for _, g in live],
               enable_double_backprop=bool(configuration.config.enable_backprop))
    return tuple([zeros(x.shape, x.dtype, x) if g is None and fill else g for x, g in zip(xs, gxs)])


def masked(g, mask):
    """g where the mask is true, elsewhere 0."""
    return g * xp_of(g).asarray(mask, g.dtype)


class Formula(FunctionNode):
    """A node whose values are compute(*inputs), on variables; its gradient is that of the expression."""

    nothing_at = None  # the place of a result that is always a variable without an array

    def compute(self, *xs):
        raise NotImplementedError

    def apply(self, inputs):
        ys = super(Formula, self).apply(inputs)
        return ys if self.nothing_at is None else ys[:self.nothing_at] + (Variable(None),) + ys[self.nothing_at:]

    def _run(self, xs, with_graph):
        with configuration.using_config('enable_backprop', with_graph):
            ys = self.compute(*xs)
        return tuple(ys) if isinstance(ys, (list, tuple)) else (ys,)

    def forward(self, inputs):
        self.retain_inputs(tuple(range(len(inputs))))
        return tuple([y.array for y in self._run([Variable(x, requires_grad=False) for x in inputs], False)])

    def backward(self, indexes, grad_outputs):
        # Copies, because one input may be computed from another one.
        with configuration.using_config('enable_backprop', True):
            xs = [_c.identity(x) if x.requires_grad else x for x in self.get_retained_inputs()]
        live = [i for i in indexes if xs[i].dtype.kind == 'f' and xs[i].requires_grad]
        found = dict(zip(live, vjp(lambda *vs: self._run(vs, True), xs, grad_outputs, live, False))) if live else {}
        return tuple([found.get(i) for i in indexes])


class Old(Formula):
    """A node that the release has as an old-style function, which is called."""

    def __call__(self, *inputs):
        ys = self.apply(inputs)
        return ys[0] if len(ys) == 1 else ys


class Places(dict):
    """The classes and functions of a chapter, by module and name."""

    def at(self, *stems):
        def add(value):
            for stem in stems:
                self[stem, value.__name__] = value
            if isinstance(value, type):
                value.__module__ = 'chainer.functions.%s.%s' % (self.chapter, stems[0])
            return value
        return add

    def __init__(self, chapter):
        super(Places, self).__init__()
        self.chapter = chapter
