# SPDX-License-Identifier: MIT
from chainer import link, variable
from chainer import functions as F
from chainer.links.connection import linear


class StatefulZoneoutLSTM(link.Chain):
    """An LSTM that keeps random elements of its state during training."""

    _states = 'c', 'h'

    def __init__(self, in_size, out_size, c_ratio=0.5, h_ratio=0.5, **kwargs):
        if kwargs:
            from chainer.utils import argument
            argument.check_unexpected_kwargs(
                kwargs, train='train argument is not supported anymore. Use chainer.using_config')
            argument.assert_kwargs_empty(kwargs)
        super(StatefulZoneoutLSTM, self).__init__()
        self.state_size, self.c_ratio, self.h_ratio = out_size, c_ratio, h_ratio
        self.reset_state()
        with self.init_scope():
            self.upward = linear.Linear(in_size, 4 * out_size)
            self.lateral = linear.Linear(out_size, 4 * out_size, nobias=True)

    def set_state(self, c, h):
        assert isinstance(c, variable.Variable)
        assert isinstance(h, variable.Variable)
        self._move_states(c, h)
        self.c, self.h = c, h

    def reset_state(self):
        self.c = self.h = None

    def forward(self, x):
        gates = self.upward(x)
        if self.h is not None:
            gates += self.lateral(self.h)
        zeros = self._zeros((len(x), self.state_size), dtype=x.dtype)
        c_before = variable.Variable(zeros) if self.c is None else self.c
        h_before = variable.Variable(zeros) if self.h is None else self.h
        c, h = F.lstm(c_before, gates)
        self.c = F.zoneout(c_before, c, self.c_ratio)
        self.h = F.zoneout(h_before, h, self.h_ratio)
        return self.h
