# SPDX-License-Identifier: MIT
from chainer import Chain
from chainer.links.connection import n_step_rnn
from chainer.links.connection.n_step_lstm import NStepLSTMBase
import chainermn.functions


def create_multi_node_n_step_rnn(actual_link, communicator, rank_in=None, rank_out=None):
    """Returns a recurrent network that gets its first states from a process and sends its last ones to another.

    Its results are those of the network, and a delegate variable."""
    if not isinstance(actual_link, n_step_rnn.NStepRNNBase):
        raise ValueError('create_multi_node_n_step_rnn: an N-step RNN is needed, not {}'.format(type(actual_link)))
    return _MultiNodeNStepRNN(actual_link, communicator, rank_in, rank_out)


class _MultiNodeNStepRNN(Chain):
    def __init__(self, link, communicator, rank_in, rank_out):
        super(_MultiNodeNStepRNN, self).__init__(actual_rnn=link)
        self.communicator, self.rank_in, self.rank_out = communicator, rank_in, rank_out
        self.n_cells = 2 if isinstance(link, NStepLSTMBase) else 1

    def __call__(self, *inputs):
        states, xs = list(inputs[:-1]), inputs[-1]
        delegate = None
        if self.rank_in is not None:
            states = [chainermn.functions.recv(self.communicator, rank=self.rank_in) for _ in range(self.n_cells)]
        states += [None] * (self.n_cells - len(states))
        outputs = self.actual_rnn(*(states + [xs]))
        if self.rank_out is not None:
            for cell in outputs[:-1]:
                cell = cell if delegate is None else chainermn.functions.pseudo_connect(delegate, cell)
                delegate = chainermn.functions.send(cell, self.communicator, rank=self.rank_out)
        return tuple(outputs) + (delegate,)
