# SPDX-License-Identifier: MIT
"""Common helpers of distributions."""
import numpy

from chainer import functions as F
from chainer.functions._gradients.base import Formula
from chainer.variable import as_variable


def _modified_xlogx(x):
    """x log(x); value and gradient are zero at zero."""
    x = as_variable(x)
    zero = x.array == 0
    return x * F.log(F.where(zero, x.xp.ones(x.shape, x.dtype), x)) if zero.any() else x * F.log(x)


class ModifiedXLogX(Formula):
    """x log(x), given log(x); value and gradient are zero at zero."""

    def __init__(self, logx):
        self._logx = logx

    def compute(self, x):
        return _modified_xlogx(x)
