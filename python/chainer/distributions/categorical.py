# SPDX-License-Identifier: MIT
import numpy

from chainer import functions as F
from chainer.backends import cuda
from chainer.distribution import derived, Distribution, register_kl
from chainer.variable import as_variable


class Categorical(Distribution):
    """The categorical distribution over integers, with probabilities along the last axis."""

    def __init__(self, p=None, *, logit=None):
        if (p is None) == (logit is None):
            raise ValueError('Either p or logit (not both) must have a value.')
        if p is None:
            self.logit = as_variable(logit)
            self.log_p = derived(lambda: F.log_softmax(self.logit, self.logit.ndim - 1))
            self.p = derived(F.exp, self.log_p)
        else:
            self.logit = None
            self.p = as_variable(p)
            self.log_p = derived(F.log, self.p)

    @property
    def params(self):
        return {'p': self.p} if self.logit is None else {'logit': self.logit}

    @property
    def batch_shape(self):
        return self.p.shape[:-1]

    @property
    def event_shape(self):
        return ()

    @property
    def support(self):
        return '{0, ..., K - 1}'

    def sample_n(self, n):
        rows = cuda.to_cpu(self.p.array).reshape(-1, self.p.shape[-1]).astype(numpy.float64)
        draws = [numpy.random.choice(len(row), size=(n,), p=row / row.sum()) for row in rows]
        return F.identity(cuda.like(numpy.stack(draws, 1).reshape((n,) + self.batch_shape), self.p.array))

    def _picked(self, values, x):
        x = cuda.to_cpu(x.array) if hasattr(x, 'array') else cuda.to_cpu(x) if hasattr(x, 'dtype') else numpy.asarray(x)
        shape = numpy.broadcast_shapes(x.shape, self.batch_shape)
        rows = F.reshape(values, (-1, values.shape[-1]))
        which = numpy.broadcast_to(numpy.arange(len(rows)).reshape(self.batch_shape), shape)
        return rows[which.copy(), numpy.broadcast_to(x, shape).astype(numpy.int64)]

    def log_prob(self, x):
        return self._picked(self.log_p, x)

    def prob(self, x):
        return self._picked(self.p, x)

    @property
    def entropy(self):
        zero = self.p.array == 0
        logarithm = F.where(zero, self.log_p.xp.zeros(zero.shape, self.p.dtype), self.log_p)
        return -F.sum(self.p * logarithm, axis=-1)

    @property
    def mode(self):
        return F.identity(self.p.array.argmax(axis=-1))


@register_kl(Categorical, Categorical)
def _kl_categorical_categorical(p, q):
    return F.sum(p.p * (p.log_p - q.log_p), axis=-1)
