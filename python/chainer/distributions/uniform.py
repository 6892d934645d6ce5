# SPDX-License-Identifier: MIT
import math

import numpy

from chainer import functions as F
from chainer.backends import cuda
from chainer.distribution import derived, Distribution, parameters, register_kl


class Uniform(Distribution):
    """The uniform distribution, given by its bounds or by location and scale."""

    def __init__(self, *, loc=None, scale=None, low=None, high=None):
        given = tuple([v is not None for v in (low, high, loc, scale)])
        if given == (True, True, False, False):
            self.low, self.high = derived(parameters, low, high)
            self.loc, self.scale = self.low, derived(lambda: self.high - self.low)
        elif given == (False, False, True, True):
            self.loc, self.scale = derived(parameters, loc, scale)
            self.low, self.high = self.loc, derived(lambda: self.loc + self.scale)
        else:
            raise ValueError('Either `low, high` or `loc, scale` (not both) must have a value.')
        self._by_ends = given[0]

    @property
    def params(self):
        if self._by_ends:
            return {'low': self.low, 'high': self.high}
        return {'loc': self.loc, 'scale': self.scale}

    @property
    def batch_shape(self):
        return self.low.shape

    @property
    def event_shape(self):
        return ()

    @property
    def support(self):
        return '[low, high]'

    def sample_n(self, n):
        eps = cuda.like(numpy.random.uniform(0, 1, (n,) + self.low.shape).astype(self.low.dtype), self.low.array)
        return self.icdf(eps)

    def log_prob(self, x):
        x = F.identity(x)
        inside = (x.array >= self.low.array) & (x.array <= self.high.array)
        density = F.broadcast_to(-F.log(self.scale), inside.shape)
        return F.where(inside, density, density.xp.full(inside.shape, -numpy.inf, self.low.dtype))

    def cdf(self, x):
        return F.clip((x - self.loc) / self.scale, 0., 1.)

    def icdf(self, x):
        return x * self.scale + self.loc

    @property
    def entropy(self):
        return F.log(self.scale)

    @property
    def mean(self):
        return (self.high + self.low) / 2

    @property
    def stddev(self):
        return self.scale * math.sqrt(1. / 12)

    @property
    def variance(self):
        return F.square(self.scale) / 12


@register_kl(Uniform, Uniform)
def _kl_uniform_uniform(p, q):
    outside = (p.high.array > q.high.array) | (p.low.array < q.low.array)
    divergence = F.log(q.scale) - F.log(p.scale)
    return F.where(outside, divergence.xp.full(divergence.shape, numpy.inf, divergence.dtype), divergence)
