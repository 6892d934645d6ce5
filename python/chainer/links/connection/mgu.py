# SPDX-License-Identifier: MIT
from chainer import link, variable
from chainer import functions as F
from chainer.links.connection import linear


class MGUBase(link.Chain):
    """A recurrent unit with one gate."""

    def __init__(self, n_inputs, n_units):
        super(MGUBase, self).__init__()
        with self.init_scope():
            self.W_f = linear.Linear(n_inputs + n_units, n_units)
            self.W_h = linear.Linear(n_inputs + n_units, n_units)

    def _step(self, h, x):
        f = F.sigmoid(self.W_f(F.concat([h, x])))
        candidate = F.tanh(self.W_h(F.concat([f * h, x])))
        return F.linear_interpolate(f, candidate, h)


class StatelessMGU(MGUBase):
    """A stateless minimal gated unit: h, x -> h."""

    def forward(self, h, x):
        return self._step(h, x)


class StatefulMGU(MGUBase):
    """A minimal gated unit that keeps its state between calls."""

    _states = 'h',

    def __init__(self, in_size, out_size):
        super(StatefulMGU, self).__init__(in_size, out_size)
        self._state_size = out_size
        self.reset_state()

    def set_state(self, h):
        assert isinstance(h, variable.Variable)
        self._move_states(h)
        self.h = h

    def reset_state(self):
        self.h = None

    def forward(self, x):
        if self.h is None:
            self.h = variable.Variable(self._zeros((len(x), self._state_size), dtype=x.dtype))
        self.h = self._step(self.h, x)
        return self.h
