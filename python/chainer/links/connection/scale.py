# SPDX-License-Identifier: MIT
from chainer import link, variable
from chainer import functions as F
from chainer.links.connection import bias


class Scale(link.Chain):
    """Multiplies by a parameter along axes from `axis` on, and adds a bias if bias_term."""

    def __init__(self, axis=1, W_shape=None, bias_term=False, bias_shape=None):
        super(Scale, self).__init__()
        self.axis = axis
        with self.init_scope():
            if W_shape is not None:
                self.W = variable.Parameter(1, W_shape)
                if bias_term:
                    self.bias = bias.Bias(axis, W_shape)
            elif bias_term:
                if bias_shape is None:
                    raise ValueError('bias_shape should be given if W is not learnt parameter and bias_term is True.')
                self.bias = bias.Bias(axis, bias_shape)

    def forward(self, *xs):
        if hasattr(self, 'W'):
            if len(xs) != 1:
                raise ValueError('Scale with a parameter takes one input')
            y = F.scale(xs[0], self.W, self.axis)
        else:
            if len(xs) != 2:
                raise ValueError('Scale without a parameter takes two inputs')
            y = F.scale(xs[0], xs[1], self.axis)
        return self.bias(y) if hasattr(self, 'bias') else y
