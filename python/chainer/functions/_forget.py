"""Functions whose intermediate results are computed again for the gradient."""
from chainer import _core
from chainer import configuration
from chainer.function_node import FunctionNode

_c = _core.functions
Variable = _core.Variable


class _Forget(FunctionNode):
    """Runs a function without its graph, and again when the gradient is wanted."""

    def __init__(self, func):
        self.func = func

    @property
    def label(self):
        return 'Forget'

    def _call(self, xs):
        outs = self.func(*xs)
        self.single = isinstance(outs, Variable)
        outs = (outs,) if self.single else outs
        if not isinstance(outs, tuple) or not all([isinstance(y, Variable) for y in outs]):
            raise RuntimeError('A tuple of Variables or a Variable are only allowed to return from a function in '
                               'forget, not {}'.format(type(outs)))
        return outs

    def forward(self, inputs):
        self.retain_inputs(tuple(range(len(inputs))))
        with configuration.using_config('enable_backprop', False):
            return tuple([y.array for y in self._call([Variable(x) for x in inputs])])

    def backward(self, indexes, grad_outputs):
        if configuration.config.enable_backprop:
            raise RuntimeError('double backpropagation through functions.forget is not allowed. Use chainer.grad '
                               'without enable_double_backprop')
        xs = [Variable(x.array) for x in self.get_retained_inputs()]
        with configuration.using_config('enable_backprop', True), configuration.using_config('in_recomputing', True):
            outs = self._call(xs)
            outs = [_c.identity(y) for y in outs]
        live = [(y, g) for y, g in zip(outs, grad_outputs) if g is not None]
        for y, g in live:
            y.grad_var = g
        if live:
            _core_backward([y for y, _ in live])
        return tuple([x.grad_var for x in xs])


class _Join(FunctionNode):
    def forward(self, inputs):
        return inputs

    def backward(self, indexes, grad_outputs):
        return tuple([grad_outputs[i] for i in indexes])


def _core_backward(ys):
    out = _Join().apply(ys)
    for y, joined in zip(ys, out):
        joined.grad_var = y.grad_var
    out[0].backward()


def forget(func, *xs):
    """func(*xs) whose intermediate results are computed again for the gradient."""
    if not callable(func):
        raise TypeError('func must be callable, not {}'.format(type(func)))
    node = _Forget(func)
    ys = node.apply(xs)
    return ys[0] if node.single else ys
