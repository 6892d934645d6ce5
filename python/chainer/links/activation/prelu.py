# SPDX-License-Identifier: MIT
from chainer import link, variable
from chainer import functions as F


class PReLU(link.Link):
    """Leaky ReLU with learned slopes."""

    def __init__(self, shape=(), init=0.25):
        super(PReLU, self).__init__()
        with self.init_scope():
            self.W = variable.Parameter(init, shape)

    def forward(self, x):
        return F.prelu(x, self.W)
