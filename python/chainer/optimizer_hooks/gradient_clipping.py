# SPDX-License-Identifier: MIT
import numpy


def _sum_sqnorm(arrays):
    return sum([float(numpy.sum(numpy.square(a, dtype=numpy.float64))) for a in arrays])


class GradientClipping(object):
    """Scales all gradients down to at most the given L2 norm."""

    name = 'GradientClipping'
    timing = 'pre'

    def __init__(self, threshold):
        self.threshold = threshold

    def __call__(self, opt):
        params = [p for p in opt.target.params(False) if p._has_grad]
        norm = numpy.sqrt(_sum_sqnorm([p.grad for p in params]))
        if norm == 0:
            return
        rate = self.threshold / norm
        if rate >= 1:
            return
        for p in params:
            grad = p.grad
            grad *= rate
