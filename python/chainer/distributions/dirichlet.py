# SPDX-License-Identifier: MIT
import numpy

from chainer import functions as F
from chainer.backends import cuda
from chainer.distribution import Distribution, register_kl
from chainer.variable import as_variable


def _lbeta(alpha):
    return F.sum(F.lgamma(alpha), axis=-1) - F.lgamma(F.sum(alpha, axis=-1))


class Dirichlet(Distribution):
    """The Dirichlet distribution, with its parameters along the last axis."""

    def __init__(self, alpha):
        self.alpha = as_variable(alpha)

    @property
    def params(self):
        return {'alpha': self.alpha}

    @property
    def alpha0(self):
        return F.sum(self.alpha, axis=-1)

    @property
    def batch_shape(self):
        return self.alpha.shape[:-1]

    @property
    def event_shape(self):
        return self.alpha.shape[-1:]

    @property
    def support(self):
        return '[0, 1]'

    def sample_n(self, n):
        rows = cuda.to_cpu(self.alpha.array).reshape(-1, self.alpha.shape[-1])
        draws = [numpy.random.dirichlet(row, size=(n,)) for row in rows]
        draws = numpy.stack(draws, 1).reshape((n,) + self.alpha.shape).astype(self.alpha.dtype)
        return F.identity(cuda.like(draws, self.alpha.array))

    def log_prob(self, x):
        return F.sum((self.alpha - 1) * F.log(x), axis=-1) - _lbeta(self.alpha)

    @property
    def entropy(self):
        total = self.alpha0
        return (_lbeta(self.alpha) + (total - self.alpha.shape[-1]) * F.digamma(total)
                - F.sum((self.alpha - 1) * F.digamma(self.alpha), axis=-1))

    def _total(self):
        return F.broadcast_to(F.expand_dims(self.alpha0, -1), self.alpha.shape)

    @property
    def mean(self):
        return self.alpha / self._total()

    @property
    def variance(self):
        total = self._total()
        return self.alpha / total * ((total - self.alpha) / total) / (total + 1)

    @property
    def covariance(self):
        mean = self.mean
        k = mean.shape[-1]
        shape = mean.shape + (k,)
        column = F.broadcast_to(F.expand_dims(mean, -1), shape)
        row = F.broadcast_to(F.expand_dims(mean, -2), shape)
        total = F.broadcast_to(F.expand_dims(F.expand_dims(self.alpha0, -1), -1), shape)
        diagonal = cuda.like(numpy.broadcast_to(numpy.eye(k, dtype=mean.dtype), shape), mean.array)
        return (column * diagonal - column * row) / (total + 1)


@register_kl(Dirichlet, Dirichlet)
def _kl_dirichlet_dirichlet(p, q):
    difference = F.digamma(p.alpha) - F.broadcast_to(F.expand_dims(F.digamma(p.alpha0), -1), p.alpha.shape)
    return _lbeta(q.alpha) - _lbeta(p.alpha) + F.sum((p.alpha - q.alpha) * difference, axis=-1)
