# SPDX-License-Identifier: MIT
class WeightDecay(object):
    """Adds the gradient of the squared L2 norm."""

    name = 'WeightDecay'
    call_for_each_param = True
    timing = 'pre'

    def __init__(self, rate):
        self.rate = rate

    def __call__(self, rule, param):
        p, g = param.array, param.grad
        if p is not None and g is not None:
            g += self.rate * p
