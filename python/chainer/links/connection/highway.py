# SPDX-License-Identifier: MIT
from chainer import link
from chainer.functions import relu, sigmoid
from chainer.links.connection import linear


class Highway(link.Chain):
    """A highway layer: gate * activate(plain(x)) + (1 - gate) * x."""

    def __init__(self, in_out_size, nobias=False, activate=relu, init_Wh=None, init_Wt=None, init_bh=None, init_bt=-1):
        super(Highway, self).__init__()
        self.activate = activate
        with self.init_scope():
            self.plain = linear.Linear(in_out_size, in_out_size, nobias=nobias, initialW=init_Wh,
                                       initial_bias=init_bh)
            self.transform = linear.Linear(in_out_size, in_out_size, nobias=nobias, initialW=init_Wt,
                                           initial_bias=init_bt)

    def forward(self, x):
        gate = sigmoid(self.transform(x))
        return self.activate(self.plain(x)) * gate + x * (1 - gate)
