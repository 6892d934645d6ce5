# SPDX-License-Identifier: MIT
from chainer.links.connection.n_step_rnn import NStepGRU, NStepBiGRU, NStepRNNBase  # NOQA
