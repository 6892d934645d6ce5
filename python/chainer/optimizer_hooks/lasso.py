# SPDX-License-Identifier: MIT
import numpy


class Lasso(object):
    """Adds the gradient of the L1 norm."""

    name = 'Lasso'
    call_for_each_param = True
    timing = 'pre'

    def __init__(self, rate):
        self.rate = rate

    def __call__(self, rule, param):
        p, g = param.array, param.grad
        if p is not None and g is not None:
            g += self.rate * numpy.sign(p)
