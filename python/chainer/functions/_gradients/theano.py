# SPDX-License-Identifier: MIT
"""Functions of Theano: callables that compute values and gradients of arrays."""
import numpy

from chainer.function import Function
from chainer.functions._gradients.base import Places

PLACES = Places('theano')
at = PLACES.at


@at('theano_function')
class TheanoFunction(Function):
    """A function whose values are forward_func(*inputs) and whose gradients are backward_func(*inputs, *gys)."""

    def __init__(self, forward_func, backward_func):
        self.forward_func, self.backward_func = forward_func, backward_func

    def forward(self, inputs):
        return tuple([numpy.asarray(y) for y in self.forward_func(*inputs)])

    def backward(self, inputs, gys):
        gys = [numpy.zeros_like(y) if g is None else g for y, g in zip(self.output_data, gys)] if None in [
            None if g is None else 0 for g in gys] else gys
        gxs = self.backward_func(*(tuple(inputs) + tuple(gys)))
        return tuple([None if g is None else numpy.asarray(g, x.dtype) if x.dtype.kind == 'f' else None
                      for x, g in zip(inputs, gxs)])


@at('theano_function')
def theano_function(forward_func, backward_func, *inputs):
    """Calls a function of Theano; see TheanoFunction."""
    return TheanoFunction(forward_func, backward_func)(*inputs)

