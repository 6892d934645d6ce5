# SPDX-License-Identifier: MIT
import numpy

from chainer import initializer
from chainer import utils


class Orthogonal(initializer.Initializer):
    """A matrix with orthonormal rows, multiplied by scale. It must not have more rows than columns."""

    def __init__(self, scale=1.1, dtype=None):
        self.scale = scale
        super(Orthogonal, self).__init__(dtype)

    def __call__(self, array):
        initializer.check_dtype(array, self.dtype)
        if not array.shape:
            array[...] = self.scale
            return
        if not array.size:
            raise ValueError('Array to be initialized must be non-empty.')
        shape = (len(array), utils.size_of_shape(array.shape[1:]))
        if shape[0] > shape[1]:
            raise ValueError('Cannot make orthogonal system because # of vectors ({}) is larger than that of dimensions '
                             '({})'.format(*shape))
        u, _, v = numpy.linalg.svd(numpy.random.normal(0., 1., shape), full_matrices=False)
        array[...] = (u if u.shape == shape else v).reshape(array.shape)
        array *= self.scale
