# SPDX-License-Identifier: MIT
import numpy

from chainer import initializers, link, variable
from chainer import functions as F


class Bilinear(link.Link):
    """A bilinear form of two inputs, with linear terms and a bias unless nobias."""

    def __init__(self, left_size, right_size, out_size, nobias=False, initialW=None, initial_bias=None):
        super(Bilinear, self).__init__()
        self.in_sizes = left_size, right_size
        self.nobias = nobias
        if isinstance(initialW, (numpy.ndarray,)):
            assert initialW.shape == (left_size, right_size, out_size)
        if not (initial_bias is None or isinstance(initial_bias, tuple) or numpy.isscalar(initial_bias)):
            raise ValueError('initial_bias must be a tuple or None, not {}'.format(type(initial_bias)))
        V1, V2, b = (None, None, 0) if initial_bias is None or numpy.isscalar(initial_bias) else initial_bias
        if initial_bias is not None and numpy.isscalar(initial_bias):
            V1 = V2 = b = initial_bias
        with self.init_scope():
            self.W = variable.Parameter(initializers._get_initializer(initialW), (left_size, right_size, out_size))
            if not nobias:
                self.V1 = variable.Parameter(initializers._get_initializer(V1), (left_size, out_size))
                self.V2 = variable.Parameter(initializers._get_initializer(V2), (right_size, out_size))
                self.b = variable.Parameter(initializers._get_initializer(b), out_size)

    def forward(self, e1, e2):
        if self.nobias:
            return F.bilinear(e1, e2, self.W)
        return F.bilinear(e1, e2, self.W, self.V1, self.V2, self.b)
