# SPDX-License-Identifier: MIT
"""Gradients of functions with random numbers."""
from chainer.function_node import FunctionNode
from chainer.functions._gradients.base import Formula, Places

PLACES = Places('noise')
at = PLACES.at


@at('dropout')
class DropoutGrad(Formula):
    """mask gy."""

    def __init__(self, mask):
        self.mask = mask

    def compute(self, gy):
        return gy * self.mask.astype(gy.dtype, copy=False)


@at('dropout')
class DropoutGradCuDNN(FunctionNode):
    """The gradient of dropout where cuDNN computes it."""

    def __init__(self, states, dropout_ratio):
        self.states, self.dropout_ratio = states, dropout_ratio

    def forward(self, inputs):
        raise RuntimeError('CUDA is not available in this build')


@at('simplified_dropconnect')
def _as_mat(x):
    return x if x.ndim == 2 else x.reshape(len(x), -1)


@at('simplified_dropconnect')
def _matmul(a, b, xp):
    return xp.matmul(a, b)
