# SPDX-License-Identifier: MIT
import numpy

from chainer import initializers, link, utils, variable
from chainer import functions as F
from chainer.backends import cuda
from chainer.links.connection import linear


class LSTMBase(link.Chain):
    """The linear parts of an LSTM: of inputs, and of the state without a bias."""

    def __init__(self, in_size, out_size=None, lateral_init=None, upward_init=None, bias_init=None,
                 forget_bias_init=None):
        if out_size is None:
            out_size, in_size = in_size, None
        super(LSTMBase, self).__init__()
        self.state_size = out_size
        self.lateral_init, self.upward_init = lateral_init, upward_init
        self.bias_init = 0 if bias_init is None else bias_init
        self.forget_bias_init = 1 if forget_bias_init is None else forget_bias_init
        with self.init_scope():
            self.upward = linear.Linear(in_size, 4 * out_size, initialW=0)
            self.lateral = linear.Linear(out_size, 4 * out_size, initialW=0, nobias=True)
            if in_size is not None:
                self._initialize_params()

    def _initialize_params(self):
        size = self.state_size
        lateral, upward = [initializers._get_initializer(i) for i in (self.lateral_init, self.upward_init)]
        for i in range(0, 4 * size, size):
            lateral(self.lateral.W.array[i:i + size, :])
            upward(self.upward.W.array[i:i + size, :])
        # The rows of a gate are every fourth: cell, input, forget, output.
        gates = self.upward.b.array.reshape(-1, 4)
        for i, init in enumerate((self.bias_init, self.bias_init, self.forget_bias_init, self.bias_init)):
            values = numpy.empty(len(gates), gates.dtype)
            initializers._get_initializer(init)(values)
            gates[:, i] = cuda.like(values, gates)


class StatelessLSTM(LSTMBase):
    """A stateless LSTM: c, h, x -> c, h."""

    def forward(self, c, h, x):
        if not self.upward._has_weight:
            self.upward._initialize_params(utils.size_of_shape(x.shape[1:]))
            self._initialize_params()
        lstm_in = self.upward(x)
        if h is not None:
            lstm_in += self.lateral(h)
        if c is None:
            c = variable.Variable(self._zeros((x.shape[0], self.state_size), dtype=x.dtype))
        return F.lstm(c, lstm_in)


class LSTM(LSTMBase):
    """An LSTM that keeps its state between calls; a smaller batch updates only its part of the state."""

    _states = 'c', 'h'

    def __init__(self, in_size, out_size=None, lateral_init=None, upward_init=None, bias_init=None,
                 forget_bias_init=None):
        if out_size is None:
            in_size, out_size = None, in_size
        super(LSTM, self).__init__(in_size, out_size, lateral_init, upward_init, bias_init, forget_bias_init)
        self.reset_state()

    def set_state(self, c, h):
        assert isinstance(c, variable.Variable)
        assert isinstance(h, variable.Variable)
        self._move_states(c, h)
        self.c, self.h = c, h

    def reset_state(self):
        self.c = self.h = None

    def forward(self, x):
        if not self.upward._has_weight:
            self.upward._initialize_params(utils.size_of_shape(x.shape[1:]))
            self._initialize_params()
        batch = x.shape[0]
        lstm_in = self.upward(x)
        h_rest = None
        if self.h is not None:
            h_size = self.h.shape[0]
            if batch == 0:
                h_rest = self.h
            elif h_size < batch:
                raise TypeError('The batch size of x must be equal to or less than the size of the previous state h.')
            elif h_size > batch:
                h_update, h_rest = F.split_axis(self.h, [batch], axis=0)
                lstm_in += self.lateral(h_update)
            else:
                lstm_in += self.lateral(self.h)
        if self.c is None:
            self.c = variable.Variable(self._zeros((batch, self.state_size), dtype=x.dtype))
        self.c, y = F.lstm(self.c, lstm_in)
        if h_rest is None:
            self.h = y
        elif y.shape[0] == 0:
            self.h = h_rest
        else:
            self.h = F.concat([y, h_rest], axis=0)
        return y
