# SPDX-License-Identifier: MIT
from chainer import initializers, link, variable
from chainer import functions as F


class Swish(link.Link):
    """x sigmoid(beta x) with a learned beta of the given shape, or of the shape of the first input."""

    def __init__(self, beta_shape, beta_init=1.0):
        super(Swish, self).__init__()
        with self.init_scope():
            if beta_shape is not None:
                self.beta = variable.Parameter(beta_init, beta_shape)
            else:
                self.beta = variable.Parameter(initializers._get_initializer(beta_init))

    def forward(self, x):
        if not self.beta._has_array:
            self.beta.initialize(x.shape[1:])
        return F.swish(x, self.beta)
