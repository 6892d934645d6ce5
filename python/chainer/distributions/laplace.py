# SPDX-License-Identifier: MIT
import math

import numpy

from chainer import functions as F
from chainer.backends import cuda
from chainer.distribution import derived, Distribution, parameters, register_kl
from chainer.functions._gradients.base import Formula
from chainer.variable import as_variable


class Laplace(Distribution):
    """The Laplace distribution."""

    def __init__(self, loc, scale):
        self.loc, self.scale = derived(parameters, loc, scale)

    @property
    def params(self):
        return {'loc': self.loc, 'scale': self.scale}

    @property
    def batch_shape(self):
        return self.loc.shape

    @property
    def event_shape(self):
        return ()

    @property
    def support(self):
        return 'real'

    def sample_n(self, n):
        eps = cuda.like(numpy.random.laplace(size=(n,) + self.loc.shape).astype(self.loc.dtype), self.loc.array)
        return self.scale * eps + self.loc

    def log_prob(self, x):
        return -math.log(2) - F.log(self.scale) - F.absolute(x - self.loc) / self.scale

    def _below(self, z):
        """The cdf as a function of z, the distance from the mean in units of the scale."""
        tail = 0.5 * F.exp(-F.absolute(z))
        return F.where(z.array < 0, tail, 1 - tail)

    def cdf(self, x):
        return self._below((x - self.loc) / self.scale)

    def survival_function(self, x):
        return self._below((self.loc - x) / self.scale)

    @staticmethod
    def _log_below(z):
        distance = F.absolute(z)
        return F.where(z.array < 0, -distance - math.log(2), F.log1p(-0.5 * F.exp(-distance)))

    def log_cdf(self, x):
        return self._log_below((x - self.loc) / self.scale)

    def log_survival_function(self, x):
        return self._log_below((self.loc - x) / self.scale)

    def icdf(self, x):
        x = F.identity(x)
        lower = x.array < 0.5
        distance = math.log(2) + F.log(F.where(lower, x, 1 - x))
        return self.loc + self.scale * F.where(lower, distance, -distance)

    @property
    def entropy(self):
        return 1. + math.log(2) + F.log(self.scale)

    @property
    def mean(self):
        return self.loc

    mode = mean

    @property
    def stddev(self):
        return math.sqrt(2) * self.scale

    @property
    def variance(self):
        return 2 * F.square(self.scale)


def _laplace_cdf(x):
    """cdf() of the standard distribution."""
    return Laplace._below(None, as_variable(x))


def _laplace_icdf(x):
    """icdf() of the standard distribution."""
    return Laplace(numpy.zeros((), x.dtype), numpy.ones((), x.dtype)).icdf(as_variable(x))


@register_kl(Laplace, Laplace)
def _kl_laplace_laplace(p, q):
    distance = F.absolute(p.loc - q.loc)
    return (F.log(q.scale) - F.log(p.scale) + distance / q.scale
            + p.scale / q.scale * F.exp(-distance / p.scale) - 1)


class LaplaceCDF(Formula):
    """The cdf of the standard distribution."""

    def compute(self, x):
        return Laplace(*_standard(x)).cdf(x)


class LaplaceICDF(Formula):
    """The inverse of the cdf of the standard distribution."""

    def compute(self, x):
        return Laplace(*_standard(x)).icdf(x)


def _standard(x):
    return numpy.zeros((), x.dtype), numpy.ones((), x.dtype)


def _laplace_cdf(x):
    return LaplaceCDF().apply((x,))[0]


def _laplace_icdf(x):
    return LaplaceICDF().apply((x,))[0]
