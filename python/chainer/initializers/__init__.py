# SPDX-License-Identifier: MIT
import numpy

import chainer
from chainer import initializer  # NOQA
from chainer.initializer import Initializer  # NOQA
from chainer.initializers.constant import Constant, Identity, NaN, One, Zero  # NOQA
from chainer.initializers.normal import GlorotNormal, HeNormal, LeCunNormal, Normal  # NOQA
from chainer.initializers.orthogonal import Orthogonal  # NOQA
from chainer.initializers.sampling import DownsamplingConvFilter, UpsamplingDeconvFilter  # NOQA
from chainer.initializers.uniform import GlorotUniform, HeUniform, LeCunUniform, Uniform  # NOQA


def generate_array(initializer, shape, xp, dtype=None):
    """Returns an array of the shape filled by the initializer, with the initializer's or the configured dtype."""
    own = getattr(initializer, 'dtype', None)
    if dtype is not None and own is not None and numpy.dtype(dtype) != numpy.dtype(own):
        raise ValueError('dtype mismatch: {} != {}'.format(dtype, own))
    dtype = chainer.get_dtype(dtype if dtype is not None else own)
    array = xp.empty(shape, dtype=dtype)
    initializer(array)
    return array


def _get_initializer(initializer):
    if initializer is None:
        return LeCunNormal()
    if numpy.isscalar(initializer):
        return Constant(initializer)
    if isinstance(initializer, chainer.get_array_types()):
        return Constant(initializer)
    if not callable(initializer):
        raise TypeError('invalid type of initializer: %s' % type(initializer))
    return initializer
