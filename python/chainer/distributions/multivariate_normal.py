# SPDX-License-Identifier: MIT
import numpy

from chainer import functions as F
from chainer.backends import cuda
from chainer.distribution import Distribution, register_kl
from chainer.distributions.normal import ENTROPYC, HALF_LOG_2PI, LOGPROBC  # NOQA
from chainer.functions._gradients.base import Formula
from chainer.variable import as_variable

available_cpu = True


def _log_det(tril):
    """The logarithm of the determinant of triangular matrices."""
    return F.sum(F.log(F.absolute(F.diagonal(tril, axis1=-2, axis2=-1))), axis=-1)


def _inverse(tril):
    d = tril.shape[-1]
    lower = numpy.broadcast_to(numpy.tri(d, dtype=tril.dtype), tril.shape)
    lower = cuda.like(lower, tril.array)
    return F.reshape(F.batch_inv(F.reshape(tril * lower, (-1, d, d))), tril.shape)


def _batch_triangular_inv(x, lower=True):
    """Returns inverses of triangular matrices; the other triangle is ignored."""
    x = as_variable(x)
    return _inverse(x) if lower else F.swapaxes(_inverse(F.swapaxes(x, -1, -2)), -1, -2)


def _triangular_inv(x, lower=True):
    """The inverse of a triangular matrix."""
    return _batch_triangular_inv(F.expand_dims(as_variable(x), 0), lower)[0]


def _times(matrix, vector):
    """Products of matrices with vectors along the last axis, broadcast."""
    shape = numpy.broadcast_shapes(matrix.shape[:-2], vector.shape[:-1])
    matrix = F.broadcast_to(matrix, shape + matrix.shape[-2:])
    vector = F.broadcast_to(vector, shape + vector.shape[-1:])
    return F.squeeze(F.matmul(matrix, F.expand_dims(vector, -1)), axis=-1)


class MultivariateNormal(Distribution):
    """The multivariate normal distribution, by the Cholesky factor (lower triangle) of its covariance."""

    def __init__(self, loc, *, scale_tril):
        self.loc, self.scale_tril = as_variable(loc), as_variable(scale_tril)
        self.d = self.scale_tril.shape[-1]

    @property
    def params(self):
        return {'loc': self.loc, 'scale_tril': self.scale_tril}

    @property
    def batch_shape(self):
        return self.loc.shape[:-1]

    @property
    def event_shape(self):
        return self.loc.shape[-1:]

    @property
    def support(self):
        return 'real'

    def sample_n(self, n):
        eps = cuda.like(numpy.random.standard_normal((n,) + self.loc.shape).astype(self.loc.dtype), self.loc.array)
        return _times(self.scale_tril, F.identity(eps)) + F.broadcast_to(self.loc, eps.shape)

    def log_prob(self, x):
        z = _times(_inverse(self.scale_tril), x - self.loc)
        return -0.5 * F.sum(F.square(z), axis=-1) - _log_det(self.scale_tril) - HALF_LOG_2PI * self.d

    @property
    def entropy(self):
        return _log_det(self.scale_tril) + (0.5 + HALF_LOG_2PI) * self.d

    @property
    def mean(self):
        return self.loc

    mode = mean

    @property
    def variance(self):
        return F.sum(F.square(self.scale_tril), axis=-1)

    @property
    def covariance(self):
        return F.matmul(self.scale_tril, self.scale_tril, transb=True)


@register_kl(MultivariateNormal, MultivariateNormal)
def _kl_multivariate_normal_multivariate_normal(p, q):
    inverse = _inverse(q.scale_tril)
    trace = F.sum(F.square(F.matmul(inverse, p.scale_tril)), axis=(-2, -1))
    distance = F.sum(F.square(_times(inverse, p.loc - q.loc)), axis=-1)
    return _log_det(q.scale_tril) - _log_det(p.scale_tril) + 0.5 * (trace + distance - p.d)


class TriangularInv(Formula):
    """The inverse of a triangular matrix."""

    def __init__(self, lower):
        self._lower = lower

    def compute(self, x):
        return _triangular_inv(x, self._lower)
