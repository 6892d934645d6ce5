# SPDX-License-Identifier: MIT
from chainer import functions as F
from chainer.links.connection.n_step_rnn import NStepRNNBase


class NStepGRUBase(NStepRNNBase):
    """The weights of a GRU of several layers."""

    n_weights = 6


class NStepGRU(NStepGRUBase):
    n_cells = 1

    def rnn(self, *args):
        return F.n_step_gru(*args)


class NStepBiGRU(NStepGRUBase):
    n_cells, use_bi_direction = 1, True

    def rnn(self, *args):
        return F.n_step_bigru(*args)
