# SPDX-License-Identifier: MIT
import numpy


def exponential_decay_noise(xp, shape, dtype, hook, opt):
    """Gaussian noise whose variance decreases with the number of updates."""
    std = numpy.sqrt(hook.eta / numpy.power(1 + opt.t, 0.55))
    return xp.random.normal(0, std, shape).astype(dtype)


class GradientNoise(object):
    """Adds noise to each gradient."""

    name = 'GradientNoise'
    call_for_each_param = True
    timing = 'pre'

    def __init__(self, eta, noise_func=exponential_decay_noise):
        self.eta, self.noise_func = eta, noise_func

    def __call__(self, rule, param):
        g = param.grad
        if g is not None:
            g += self.noise_func(param.xp, g.shape, g.dtype, self, rule)
