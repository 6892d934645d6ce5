# SPDX-License-Identifier: MIT
import numpy

from chainer import functions as F
from chainer.backends import cuda
from chainer.distribution import derived, Distribution, parameters, register_kl
from chainer.distributions.normal import HALF_LOG_2PI, LOGPROBC  # NOQA


class LogNormal(Distribution):
    """The log-normal distribution: the exponential of a normal distribution."""

    def __init__(self, mu, sigma):
        self.mu, self.sigma = derived(parameters, mu, sigma)

    @property
    def params(self):
        return {'mu': self.mu, 'sigma': self.sigma}

    @property
    def batch_shape(self):
        return self.mu.shape

    @property
    def event_shape(self):
        return ()

    @property
    def support(self):
        return 'positive'

    def _standard(self, x):
        return (F.log(x) - self.mu) / self.sigma

    def sample_n(self, n):
        eps = cuda.like(numpy.random.standard_normal((n,) + self.mu.shape).astype(self.mu.dtype), self.mu.array)
        return F.exp(self.sigma * eps + self.mu)

    def log_prob(self, x):
        logarithm = F.log(x)
        return -HALF_LOG_2PI - F.log(self.sigma) - logarithm - 0.5 * F.square((logarithm - self.mu) / self.sigma)

    def cdf(self, x):
        return F.ndtr(self._standard(x))

    def log_cdf(self, x):
        return F.log_ndtr(self._standard(x))

    def icdf(self, x):
        return F.exp(self.mu + self.sigma * F.ndtri(x))

    def survival_function(self, x):
        return F.ndtr(-self._standard(x))

    def log_survival_function(self, x):
        return F.log_ndtr(-self._standard(x))

    @property
    def entropy(self):
        return 0.5 + HALF_LOG_2PI + F.log(self.sigma) + self.mu

    @property
    def mean(self):
        return F.exp(self.mu + 0.5 * F.square(self.sigma))

    @property
    def mode(self):
        return F.exp(self.mu - F.square(self.sigma))

    @property
    def variance(self):
        return F.exp(2 * self.mu + F.square(self.sigma)) * F.expm1(F.square(self.sigma))


@register_kl(LogNormal, LogNormal)
def _kl_log_normal_log_normal(p, q):
    return (0.5 * (F.square((p.mu - q.mu) / q.sigma) + F.square(p.sigma / q.sigma)) - 0.5
            + F.log(q.sigma) - F.log(p.sigma))
