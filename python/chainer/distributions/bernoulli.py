# SPDX-License-Identifier: MIT
import numpy

from chainer import functions as F
from chainer.backends import cuda
from chainer.distribution import derived, Distribution, parameters, register_kl
from chainer.functions._gradients.base import Formula
from chainer.variable import as_variable


def _weighted(weight, logarithm):
    """Returns weight * logarithm, where weight 0 times -inf is 0."""
    nothing = (weight.array == 0) & cuda.get_array_module(weight).isinf(logarithm.array)
    if not nothing.any():
        return weight * logarithm
    return weight * F.where(nothing, logarithm.xp.zeros(nothing.shape, logarithm.dtype),
                            F.broadcast_to(logarithm, nothing.shape))


def _bernoulli_log_prob(logit, x, binary_check=False):
    """log_prob() of a distribution given by its logit."""
    return Bernoulli(logit=logit, binary_check=binary_check).log_prob(as_variable(x))


class Bernoulli(Distribution):
    """The Bernoulli distribution: one with probability p, zero otherwise."""

    def __init__(self, p=None, logit=None, binary_check=False):
        if (p is None) == (logit is None):
            raise ValueError('Either p or logit (not both) must have a value.')
        self._by_logit, self.binary_check = p is None, binary_check
        if self._by_logit:
            self.logit, = parameters(logit)
            self.p = derived(F.sigmoid, self.logit)
        else:
            self.p, = parameters(p)
            self.logit = derived(lambda: F.log(self.p) - F.log1p(-self.p))

    @property
    def params(self):
        return {'logit': self.logit} if self._by_logit else {'p': self.p}

    @property
    def batch_shape(self):
        return self.p.shape

    @property
    def event_shape(self):
        return ()

    @property
    def support(self):
        return '{0, 1}'

    def sample_n(self, n):
        p = self.p.array
        return F.identity(cuda.like(numpy.random.binomial(1, cuda.to_cpu(p), size=(n,) + p.shape), p))

    def _logs(self):
        """Returns the logarithms of the probabilities of one and zero."""
        if self._by_logit:
            return -F.softplus(-self.logit), -F.softplus(self.logit)
        return F.log(self.p), F.log1p(-self.p)

    def log_prob(self, x):
        x = F.cast(x, self.p.dtype)
        one, zero = self._logs()
        y = _weighted(x, one) + _weighted(1 - x, zero)
        return self._checked(x, y, -numpy.inf)

    def prob(self, x):
        x = F.cast(x, self.p.dtype)
        return self._checked(x, x * self.p + (1 - x) * (1 - self.p), 0)

    def _checked(self, x, y, otherwise):
        if not self.binary_check:
            return y
        valid = y.xp.broadcast_to((x.array == 0) | (x.array == 1), y.shape)
        return F.where(valid, y, y.xp.full(y.shape, otherwise, y.dtype))

    @property
    def entropy(self):
        one, zero = self._logs()
        return -_weighted(self.p, one) - _weighted(1 - self.p, zero)

    @property
    def mean(self):
        return self.p

    @property
    def mode(self):
        return F.identity((self.p.array > 0.5).astype(self.p.dtype))

    @property
    def stddev(self):
        return F.sqrt(self.variance)

    @property
    def variance(self):
        return self.p * (1 - self.p)


@register_kl(Bernoulli, Bernoulli)
def _kl_bernoulli_bernoulli(p, q):
    (one1, zero1), (one2, zero2) = p._logs(), q._logs()
    return _weighted(p.p, one1 - one2) + _weighted(1 - p.p, zero1 - zero2)


class BernoulliLogProb(Formula):
    """log_prob() of a distribution given by its logit, from (logit, x)."""

    def __init__(self, binary_check=False):
        self.binary_check = binary_check

    def compute(self, logit, x):
        return Bernoulli(logit=logit, binary_check=self.binary_check).log_prob(x.array)
