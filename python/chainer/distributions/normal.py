# SPDX-License-Identifier: MIT
import math

import numpy

from chainer import functions as F
from chainer.backends import cuda
from chainer.distribution import derived, Distribution, parameters, register_kl

HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)
LOGPROBC, ENTROPYC, PROBC = -HALF_LOG_2PI, HALF_LOG_2PI + 0.5, 1 / math.sqrt(2 * math.pi)


class Normal(Distribution):
    """The normal distribution, given by its scale or log scale."""

    def __init__(self, loc, scale=None, *, log_scale=None):
        if (scale is None) == (log_scale is None):
            raise ValueError('Either scale or log_scale (not both) must have a value.')
        self._by_log = scale is None
        if self._by_log:
            self.loc, self.log_scale = derived(parameters, loc, log_scale)
            self.scale = derived(F.exp, self.log_scale)
        else:
            self.loc, self.scale = derived(parameters, loc, scale)
            self.log_scale = derived(F.log, self.scale)

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

    def _standard(self, x):
        return (x - self.loc) / self.scale

    def sample_n(self, n):
        eps = cuda.like(numpy.random.standard_normal((n,) + self.loc.shape).astype(self.loc.dtype), self.loc.array)
        return self.loc + self.scale * eps

    def log_prob(self, x):
        return -HALF_LOG_2PI - self.log_scale - 0.5 * F.square(self._standard(x))

    def cdf(self, x):
        return F.ndtr(self._standard(x))

    def log_cdf(self, x):
        return F.log_ndtr(self._standard(x))

    def icdf(self, x):
        return self.loc + self.scale * F.ndtri(x)

    def survival_function(self, x):
        return F.ndtr(-self._standard(x))

    def log_survival_function(self, x):
        return F.log_ndtr(-self._standard(x))

    @property
    def entropy(self):
        return self.log_scale + (0.5 + HALF_LOG_2PI)

    @property
    def mean(self):
        return self.loc

    mode = mean

    @property
    def stddev(self):
        return self.scale

    @property
    def variance(self):
        return F.square(self.scale)


@register_kl(Normal, Normal)
def _kl_normal_normal(p, q):
    return q.log_scale - p.log_scale + 0.5 * (F.square(p.scale / q.scale) + F.square(q._standard(p.loc))) - 0.5
