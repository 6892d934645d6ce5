# SPDX-License-Identifier: MIT
import numpy

from chainer import Function


def empty():
    """The array of a delegate variable."""
    return numpy.empty(0, numpy.float32)


class PseudoConnect(Function):
    """Returns its inputs without the first one, through which a backward pass also goes."""

    def forward(self, inputs):
        self.retain_inputs(())
        self._delegate = numpy.zeros_like(inputs[0])
        self._others = [(x.shape, x.dtype) for x in inputs[1:]]
        return tuple(inputs[1:])

    def backward(self, inputs, grad_outputs):
        return (self._delegate,) + tuple([numpy.zeros(shape, dtype) if g is None else g
                                          for g, (shape, dtype) in zip(grad_outputs, self._others)])


def pseudo_connect(delegate_variable, *actual_variables):
    """Returns variables whose backward pass also visits a delegate variable, such as the result of send()."""
    if delegate_variable is None:
        raise ValueError('pseudo_connect: the delegate variable is None')
    return PseudoConnect()(delegate_variable, *actual_variables)
