# SPDX-License-Identifier: MIT
from chainer import functions as F
from chainer.links.connection.n_step_rnn import NStepRNNBase


class NStepLSTMBase(NStepRNNBase):
    """The weights of an LSTM of several layers."""

    n_weights = 8

    def forward(self, hx, cx, xs, **kwargs):
        (hy, cy), ys = self._forward([hx, cx], xs)
        return hy, cy, ys


class NStepLSTM(NStepLSTMBase):
    n_cells = 2

    def rnn(self, *args):
        return F.n_step_lstm(*args)


class NStepBiLSTM(NStepLSTMBase):
    n_cells, use_bi_direction = 2, True

    def rnn(self, *args):
        return F.n_step_bilstm(*args)
