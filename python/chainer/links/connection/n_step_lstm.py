# SPDX-License-Identifier: MIT
from chainer.links.connection.n_step_rnn import NStepLSTM, NStepBiLSTM, NStepRNNBase  # NOQA
