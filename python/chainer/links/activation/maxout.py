# SPDX-License-Identifier: MIT
import numpy

from chainer import link
from chainer import functions as F
from chainer.links.connection import linear


class Maxout(link.Chain):
    """The maximum of each group of a linear map's outputs."""

    def __init__(self, in_size, out_size, pool_size, initialW=None, initial_bias=0):
        super(Maxout, self).__init__()
        self.out_size, self.pool_size = out_size, pool_size
        if isinstance(initialW, numpy.ndarray):
            initialW = initialW.reshape(out_size * pool_size, in_size)
        if isinstance(initial_bias, numpy.ndarray):
            initial_bias = initial_bias.reshape(out_size * pool_size)
        with self.init_scope():
            self.linear = linear.Linear(in_size, out_size * pool_size, nobias=initial_bias is None,
                                        initialW=initialW, initial_bias=initial_bias)

    def forward(self, x):
        return F.maxout(self.linear(x), self.pool_size)
