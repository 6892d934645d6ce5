# SPDX-License-Identifier: MIT
"""Functions whose intermediate results are recomputed for the gradient."""
from chainer import _core
from chainer import configuration
from chainer.function_node import FunctionNode

Variable = _core.Variable


class Forget(FunctionNode):
    """Runs a function without its graph, and again to compute the gradient."""

    def __init__(self, func):
        self.func = func
        self.state = _core.StateRecord()

    def _call(self, xs):
        outs = self.func(*xs)
        outs = (outs,) if isinstance(outs, Variable) else outs
        if not isinstance(outs, tuple) or not all([isinstance(y, Variable) for y in outs]):
            raise RuntimeError('A tuple of Variables or a Variable are only allowed to return from a function in '
                               'forget, not {}'.format(type(outs)))
        return outs

    def forward(self, inputs):
        self.retain_inputs(tuple(range(len(inputs))))
        with configuration.using_config('enable_backprop', False), self.state.recording():
            return tuple([y.array for y in self._call([Variable(x) for x in inputs])])

    def backward(self, indexes, grad_outputs):
        if configuration.config.enable_backprop:
            raise RuntimeError('double backpropagation through functions.forget is not allowed. Use chainer.grad '
                               'without enable_double_backprop')
        xs = [Variable(x.array) for x in self.get_retained_inputs()]
        with configuration.using_config('enable_backprop', True), configuration.using_config('in_recomputing', True):
            # One function joins the outputs that have a gradient, so that one backward pass covers all.
            with self.state.repeated():
                ys = self._call(xs)
            live = [(y, g) for y, g in zip(ys, grad_outputs) if g is not None]
            joined = _Join().apply([y for y, _ in live]) if live else ()
        for y, (_, g) in zip(joined, live):
            y.grad_var = g
        if live:
            joined[0].backward(loss_scale=_core.current_loss_scale())
        return tuple([x.grad_var for x in xs])


class _Join(FunctionNode):
    def forward(self, inputs):
        return inputs

    def backward(self, indexes, grad_outputs):
        return tuple([grad_outputs[i] for i in indexes])


def forget(func, *xs):
    """Returns func(*xs); its intermediate results are recomputed for the gradient."""
    if not callable(func):
        raise TypeError('func must be callable, not {}'.format(type(func)))
    # (Arrays become variables, because parameters read by func need gradients.)
    ys = Forget(func).apply([x if isinstance(x, Variable) else Variable(x) for x in xs])
    return ys[0] if len(ys) == 1 else ys
