# SPDX-License-Identifier: MIT
import numpy

from chainer import functions as F
from chainer.backends import cuda
from chainer.distribution import derived, Distribution, parameters, register_kl


def _lbeta(a, b):
    return F.lgamma(a) + F.lgamma(b) - F.lgamma(a + b)


class Beta(Distribution):
    """The beta distribution."""

    def __init__(self, a, b):
        self.a, self.b = derived(parameters, a, b)

    @property
    def params(self):
        return {'a': self.a, 'b': self.b}

    @property
    def batch_shape(self):
        return self.a.shape

    @property
    def event_shape(self):
        return ()

    @property
    def support(self):
        return '[0, 1]'

    def sample_n(self, n):
        a, b = self.a.array, self.b.array
        draws = numpy.random.beta(cuda.to_cpu(a), cuda.to_cpu(b), size=(n,) + a.shape)
        return F.identity(cuda.like(draws.astype(a.dtype), a))

    def log_prob(self, x):
        x = F.identity(x)
        inside = (x.array >= 0) & (x.array <= 1)
        at = F.where(inside, x, x.xp.full(x.shape, 0.5, x.dtype))
        y = (self.a - 1) * F.log(at) + (self.b - 1) * F.log1p(-at) - _lbeta(self.a, self.b)
        return F.where(y.xp.broadcast_to(inside, y.shape), y, y.xp.full(y.shape, -numpy.inf, y.dtype))

    @property
    def entropy(self):
        a, b = self.a, self.b
        return (_lbeta(a, b) - (a - 1) * F.digamma(a) - (b - 1) * F.digamma(b) + (a + b - 2) * F.digamma(a + b))

    @property
    def mean(self):
        return self.a / (self.a + self.b)

    @property
    def mode(self):
        y = (self.a - 1) / (self.a + self.b - 2)
        inside = (self.a.array > 1) & (self.b.array > 1)
        return F.where(inside, y, y.xp.full(y.shape, numpy.nan, y.dtype))

    @property
    def variance(self):
        total = self.a + self.b
        return self.a / total * (self.b / total) / (total + 1)


@register_kl(Beta, Beta)
def _kl_beta_beta(p, q):
    total = p.a + p.b
    return (_lbeta(q.a, q.b) - _lbeta(p.a, p.b) + (p.a - q.a) * F.digamma(p.a) + (p.b - q.b) * F.digamma(p.b)
            + (q.a + q.b - total) * F.digamma(total))
