# SPDX-License-Identifier: MIT
from chainer import initializers, link, variable
from chainer import functions as F
from chainer.initializers import normal


class EmbedID(link.Link):
    """Maps each id to a vector; ignore_label to zeros."""

    ignore_label = None

    def __init__(self, in_size, out_size, initialW=None, ignore_label=None):
        super(EmbedID, self).__init__()
        self.ignore_label = ignore_label
        with self.init_scope():
            if initialW is None:
                initialW = normal.Normal(1.0)
            self.W = variable.Parameter(initializers._get_initializer(initialW), (in_size, out_size))

    def forward(self, x):
        return F.embed_id(x, self.W, ignore_label=self.ignore_label)
