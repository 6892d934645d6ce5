# SPDX-License-Identifier: MIT
from chainer import link, variable
from chainer import functions as F
from chainer.links.connection import linear


class StatefulPeepholeLSTM(link.Chain):
    """An LSTM with peephole connections."""

    _states = 'c', 'h'

    def __init__(self, in_size, out_size):
        super(StatefulPeepholeLSTM, self).__init__()
        self.state_size = out_size
        self.reset_state()
        with self.init_scope():
            self.upward = linear.Linear(in_size, 4 * out_size)
            self.lateral = linear.Linear(out_size, 4 * out_size, nobias=True)
            self.peep_i = linear.Linear(out_size, out_size, nobias=True)
            self.peep_f = linear.Linear(out_size, out_size, nobias=True)
            self.peep_o = linear.Linear(out_size, out_size, nobias=True)

    def reset_state(self):
        self.c = self.h = None

    def forward(self, x):
        gates = self.upward(x)
        if self.h is not None:
            gates += self.lateral(self.h)
        if self.c is None:
            self.c = variable.Variable(self._zeros((len(x), self.state_size), dtype=x.dtype))
        a, i, f, o = F.separate(F.reshape(gates, (len(x), self.state_size, 4)), axis=2)
        i, f = F.sigmoid(i + self.peep_i(self.c)), F.sigmoid(f + self.peep_f(self.c))
        self.c = F.tanh(a) * i + f * self.c
        self.h = F.sigmoid(o + self.peep_o(self.c)) * F.tanh(self.c)
        return self.h
