# SPDX-License-Identifier: MIT
"""Gradients of normalizations."""
import numpy

from chainer import _core
from chainer.functions._gradients.base import Formula, Old, Places, vjp, zeros

_c = _core.functions
PLACES = Places('normalization')
at = PLACES.at


@at('batch_normalization')
def _compute_axis(x_ndim, gamma_ndim=1, axis=None):
    """The axes that are averaged: of those given, or all but the first ones after the batch that gamma has."""
    return (0,) + tuple(range(gamma_ndim + 1, x_ndim)) if axis is None else axis


@at('batch_normalization')
def _compute_key_axis(x_ndim, gamma_ndim=1, axis=None):
    """The axes that are not averaged."""
    axes = _compute_axis(x_ndim, gamma_ndim, axis)
    return tuple([k for k in range(x_ndim) if k not in ((axes,) if isinstance(axes, int) else axes)])


@at('batch_normalization')
def _zero_if_none(xp, x, shape, dtype):
    return xp.zeros(shape, dtype=dtype) if x is None else x


@at('batch_normalization')
def _x_hat(x, mean, inv_std):
    return (x - mean) * inv_std


@at('batch_normalization')
def _apply_bn_fwd(xp, x, mean, inv_std, gamma, beta):
    return (gamma * _x_hat(x, mean, inv_std) + beta).astype(x.dtype, copy=False)


PLACES['batch_renormalization', '_xhat'] = lambda x, mean, std, expander: (x - mean[expander]) / std[expander]


@at('batch_normalization')
class _BNMode(object):
    """Which library computes a normalization: cuDNN or iDeep, which are not available."""

    def __init__(self, x, gamma, key_axis, inference=False):
        self.is_for_conv2d = x.ndim == 4 and gamma.ndim == 1 and key_axis[0] == 1
        self.is_for_linear = gamma.ndim == 1 and key_axis[0] == x.ndim - 1
        self.cudnn_dim_ok = self.is_for_conv2d or self.is_for_linear
        self.cudnn_dtype_ok = self.is_for_conv2d or x.dtype != numpy.float16
        self.ideep_ok, self.inference = False, inference

    def get_cudnn_mode(self):
        raise RuntimeError('CUDA is not available in this build')

    def can_use_ideep(self):
        return False

    def can_use_cudnn(self, xp):
        return False


@at('batch_normalization')
class BatchNormalizationGrad(Old):
    """The gradients of batch_normalization with respect to x, gamma and beta, from (x, gamma, gy)."""

    def __init__(self, eps, use_cudnn, mode, expander, axis, mean, var, inv_std, key_axis):
        self.eps, self.use_cudnn, self.mode, self.expander, self.axis = eps, use_cudnn, mode, expander, axis
        self.mean, self.var, self.inv_std, self.key_axis = mean, var, inv_std, key_axis

    def compute(self, x, gamma, gy):
        beta = zeros(gamma.shape, gamma.dtype, gamma)
        return vjp(lambda x, gamma, beta: _c.batch_normalization(x, gamma, beta, self.eps, axis=self.axis),
                   [x, gamma, beta], [gy])


@at('batch_normalization')
class FixedBatchNormalizationGrad(Old):
    """The gradients of fixed_batch_normalization with respect to x, gamma, beta, mean and var, from (x, gamma, mean,
    var, gy)."""

    def __init__(self, eps, expander, axis, inv_std, inv_var):
        self.eps, self.expander, self.axis, self.inv_std, self.inv_var = eps, expander, axis, inv_std, inv_var

    def compute(self, x, gamma, mean, var, gy):
        beta = zeros(gamma.shape, gamma.dtype, gamma)
        return vjp(lambda *v: _c.fixed_batch_normalization(*v, self.eps, self.axis), [x, gamma, beta, mean, var], [gy])


@at('l2_normalization')
class NormalizeL2(Formula):
    """Divides by the L2 norm along axes."""

    def __init__(self, eps=1e-5, axis=1):
        self.eps = eps
        self.axis = (axis,) if isinstance(axis, int) else axis

    def compute(self, x):
        return _c.normalize(x, self.eps, self.axis)


@at('l2_normalization')
class _SetItemZero(Formula):
    """An array of zeros with values where the mask is true."""

    def __init__(self, mask):
        self.mask = mask

    def compute(self, x):
        return _c.scatter_add(zeros(self.mask.shape, x.dtype, x), self.mask.nonzero(), x)


@at('layer_normalization')
def _broadcast_to(xp, x, shape):
    return xp.broadcast_to(x, shape)


@at('local_response_normalization')
class LocalResponseNormalizationGrad(Formula):
    """The gradient of local_response_normalization, from (x, y, gy)."""

    def __init__(self, n, k, alpha, beta, use_ideep, scale=None, indexes=None, unit_scale=None):
        self.n, self.k, self.alpha, self.beta, self._use_ideep = n, k, alpha, beta, use_ideep
        self.scale, self.indexes, self.unit_scale = scale, indexes, unit_scale

    def compute(self, x, y, gy):
        return vjp(lambda v: _c.local_response_normalization(v, self.n, self.k, self.alpha, self.beta), [x], [gy])[0]
