# SPDX-License-Identifier: MIT
from chainer import link, variable
from chainer import functions as F


class Bias(link.Link):
    """Adds a parameter along axes from `axis` on; without a shape, adds a second input."""

    def __init__(self, axis=1, shape=None):
        super(Bias, self).__init__()
        if shape is not None:
            with self.init_scope():
                self.b = variable.Parameter(0, shape)
        self.axis = axis

    def forward(self, *xs):
        if hasattr(self, 'b'):
            if len(xs) != 1:
                raise AssertionError('Bias with a parameter takes one input')
            return F.bias(xs[0], self.b, self.axis)
        if len(xs) != 2:
            raise AssertionError('Bias without a parameter takes two inputs')
        return F.bias(xs[0], xs[1], self.axis)
