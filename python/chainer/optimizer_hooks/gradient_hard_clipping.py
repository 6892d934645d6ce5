# SPDX-License-Identifier: MIT


class GradientHardClipping(object):
    """Clips each element of gradients."""

    name = 'GradientHardClipping'
    call_for_each_param = True
    timing = 'pre'

    def __init__(self, lower_bound, upper_bound):
        self.lower_bound, self.upper_bound = lower_bound, upper_bound

    def __call__(self, rule, param):
        if param._has_grad:
            grad = param.grad
            param.xp.clip(grad, self.lower_bound, self.upper_bound, out=grad)
