# SPDX-License-Identifier: MIT
from chainer import initializers, link, variable
from chainer import functions as F


class CRF1d(link.Link):
    """The loss of a linear-chain conditional random field with learned transition costs."""

    def __init__(self, n_label, initial_cost=None):
        super(CRF1d, self).__init__()
        with self.init_scope():
            self.cost = variable.Parameter(
                initializers._get_initializer(0 if initial_cost is None else initial_cost), (n_label, n_label))

    def forward(self, xs, ys, reduce='mean', transpose=False):
        if transpose:
            xs, ys = F.transpose_sequence(xs), F.transpose_sequence(ys)
        return F.crf1d(self.cost, xs, ys, reduce)

    def argmax(self, xs, transpose=False):
        """The best label sequence and its score."""
        if transpose:
            xs = F.transpose_sequence(xs)
        score, path = F.argmax_crf1d(self.cost, xs)
        if transpose:
            path = F.transpose_sequence(path)
        return score, path
