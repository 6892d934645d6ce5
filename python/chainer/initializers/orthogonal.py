import numpy

from chainer import initializer
from chainer import utils


class Orthogonal(initializer.Initializer):
    """A matrix with orthonormal rows (or columns, if it has more rows), times scale."""

    def __init__(self, scale=1.1, dtype=None, mode='auto'):
        self.scale = scale
        if mode not in ('auto', 'projection', 'embedding', 'basis'):
            raise ValueError('Invalid mode: {}'.format(mode))
        self.mode = mode
        super(Orthogonal, self).__init__(dtype)

    def __call__(self, array):
        initializer.check_dtype(array, self.dtype)
        if not array.shape:
            array[...] = self.scale * (2 * numpy.random.randint(2) - 1)
            return
        if not array.size:
            raise ValueError('Array to be initialized must be non-empty.')
        out_dim, in_dim = len(array), utils.size_of_shape(array.shape[1:])
        if in_dim > out_dim and self.mode in ('embedding', 'basis') or \
                in_dim < out_dim and self.mode in ('projection', 'basis'):
            raise ValueError('Cannot make orthogonal {}. shape = {}, interpreted as {}-dim input and {}-dim output.'
                             .format(self.mode, array.shape, in_dim, out_dim))
        transpose = in_dim > out_dim
        a = numpy.random.normal(size=(out_dim, in_dim))
        if transpose:
            a = a.T
        q, r = numpy.linalg.qr(a)
        q *= numpy.copysign(self.scale, numpy.diag(r))
        if transpose:
            q = q.T
        array[...] = q.reshape(array.shape)
