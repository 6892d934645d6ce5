# SPDX-License-Identifier: MIT
import numpy

from chainer import configuration
from chainer import variable
from chainer import functions as F


class Distribution(object):
    """A distribution, or a batch of distributions. Subclasses define shapes, log_prob(), sample_n() and other
    methods."""

    def _missing(self):
        raise NotImplementedError('{} does not define this'.format(type(self).__name__))

    def _missing_property(self):
        raise NotImplementedError('{} does not define this'.format(type(self).__name__))

    batch_shape = property(_missing_property, doc='The shape of independent distributions.')
    event_shape = property(_missing_property, doc='The shape of values that depend on each other.')
    support = property(_missing_property, doc='Where samples lie, in words.')
    params = property(_missing_property, doc='The parameters by name.')
    mean = property(_missing_property, doc='The mean.')
    mode = property(_missing_property, doc='The most likely value.')
    variance = property(_missing_property, doc='The variance.')
    entropy = property(_missing_property, doc='The entropy.')

    def cdf(self, x):
        """Returns the probability of a value of at most x."""
        self._missing()

    def icdf(self, x):
        """Returns the inverse of cdf() at x."""
        self._missing()

    def log_prob(self, x):
        """Returns the logarithm of the density or probability at x."""
        self._missing()

    def sample_n(self, n):
        """Draws n samples; the result has the shape (n,) + batch_shape + event_shape."""
        self._missing()

    def prob(self, x):
        """Returns the density or probability at x."""
        return F.exp(self.log_prob(x))

    def log_cdf(self, x):
        return F.log(self.cdf(x))

    def survival_function(self, x):
        """Returns 1 - cdf(x)."""
        return 1. - self.cdf(x)

    def log_survival_function(self, x):
        return F.log(self.survival_function(x))

    def perplexity(self, x=None):
        """Returns exp(entropy)."""
        return F.exp(self.entropy)

    @property
    def covariance(self):
        """The covariance of the elements of an event; the variance if the event is a number."""
        if self.event_shape:
            self._missing()
        return self.variance

    @property
    def stddev(self):
        return F.sqrt(self.variance)

    @property
    def xp(self):
        return numpy

    def sample(self, sample_shape=()):
        """Draws samples of shape sample_shape + batch_shape + event_shape."""
        sample_shape = (sample_shape,) if numpy.isscalar(sample_shape) else tuple(sample_shape)
        n = 1
        for length in sample_shape:
            n *= length
        samples = self.sample_n(n)
        return samples.reshape(sample_shape + samples.shape[1:])


def parameters(*given):
    """Converts parameters to one floating dtype and broadcasts them to their common shape."""
    values = [variable.as_variable(p) for p in given]
    shape = numpy.broadcast_shapes(*[v.shape for v in values]) if len(values) > 1 else values[0].shape
    return [v if v.shape == shape else F.broadcast_to(v, shape) for v in values]


def derived(function, *args):
    """A value computed once from a distribution's parameters, with its graph."""
    with configuration.using_config('enable_backprop', True):
        return function(*args)


_DIVERGENCES = {}


def register_kl(Dist1, Dist2):
    """A decorator that registers a function for the divergence of two types."""
    def register(function):
        _DIVERGENCES[Dist1, Dist2] = function
        return function
    return register


def kl_divergence(dist1, dist2):
    """Returns the Kullback-Leibler divergence of dist1 from dist2."""
    for one in type(dist1).__mro__:
        for two in type(dist2).__mro__:
            if (one, two) in _DIVERGENCES:
                return _DIVERGENCES[one, two](dist1, dist2)
    raise KeyError('no divergence of {} from {} is registered: see register_kl()'.format(
        type(dist1).__name__, type(dist2).__name__))


def cross_entropy(dist1, dist2):
    """Returns the cross entropy: the entropy of dist1 plus its divergence from dist2."""
    return dist1.entropy + kl_divergence(dist1, dist2)
