# SPDX-License-Identifier: MIT
import numpy

from chainer import Function
from chainer.backends import cuda


def empty(xp=numpy):
    """The array of a delegate variable, for the module of arrays that go with it."""
    return xp.empty(0, numpy.float32)


def placed(array, xp):
    """An array where those of a module are: in the host's memory, or on the current device."""
    return cuda.to_cpu(array) if xp is numpy else array if isinstance(array, cuda.ndarray) else cuda.to_gpu(array)


class PseudoConnect(Function):
    """Returns its inputs without the first one, through which a backward pass also goes."""

    def forward(self, inputs):
        self.retain_inputs(())
        self._delegate = cuda.get_array_module(inputs[0]).zeros_like(inputs[0])
        self._others = [(x.shape, x.dtype, cuda.get_array_module(x)) for x in inputs[1:]]
        return tuple(inputs[1:])

    def backward(self, inputs, grad_outputs):
        return (self._delegate,) + tuple([xp.zeros(shape, dtype) if g is None else g
                                          for g, (shape, dtype, xp) in zip(grad_outputs, self._others)])


def pseudo_connect(delegate_variable, *actual_variables):
    """Returns variables whose backward pass also visits a delegate variable, such as the result of send()."""
    if delegate_variable is None:
        raise ValueError('pseudo_connect: the delegate variable is None')
    return PseudoConnect()(delegate_variable, *actual_variables)
