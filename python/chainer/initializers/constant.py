# SPDX-License-Identifier: MIT
import numpy

from chainer import initializer
from chainer.backends import cuda


class Identity(initializer.Initializer):
    """A multiple of the identity matrix."""

    def __init__(self, scale=1.0, dtype=None):
        self.scale = scale
        super(Identity, self).__init__(dtype)

    def __call__(self, array):
        initializer.check_dtype(array, self.dtype)
        shape = array.shape
        if len(shape) != 2 or shape[0] != shape[1]:
            raise ValueError('Identity matrix initialization can only be used for 2D squared matrices.')
        array[...] = 0
        array[numpy.diag_indices(shape[0])] = self.scale


class Constant(initializer.Initializer):
    """Fills with one value, or with the values of an array."""

    fill_value = None

    def __init__(self, fill_value, dtype=None):
        self.fill_value = fill_value
        super(Constant, self).__init__(dtype)

    def __call__(self, array):
        initializer.check_dtype(array, self.dtype)
        array[...] = cuda.to_cpu(self.fill_value) if isinstance(self.fill_value, cuda.ndarray) else self.fill_value


class Zero(initializer.Initializer):
    fill_value = 0.0

    def __call__(self, array):
        initializer.check_dtype(array, self.dtype)
        array.fill(self.fill_value)


class One(Zero):
    fill_value = 1.0


class NaN(Zero):
    fill_value = numpy.nan
