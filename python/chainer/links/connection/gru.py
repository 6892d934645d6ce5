# SPDX-License-Identifier: MIT
from chainer import link, variable
from chainer import functions as F
from chainer.links.connection import linear


class GRUBase(link.Chain):
    """The six linear parts of a GRU."""

    def __init__(self, in_size, out_size, init=None, inner_init=None, bias_init=0):
        super(GRUBase, self).__init__()
        with self.init_scope():
            for gate in ('_r', '_z', ''):
                setattr(self, 'W' + gate, linear.Linear(in_size, out_size, initialW=init, initial_bias=bias_init))
                setattr(self, 'U' + gate, linear.Linear(out_size, out_size, initialW=inner_init,
                                                        initial_bias=bias_init))


class StatelessGRU(GRUBase):
    """A stateless GRU: h, x -> h."""

    def __init__(self, in_size, out_size, init=None, inner_init=None, bias_init=None):
        super(StatelessGRU, self).__init__(in_size, out_size, init, inner_init, bias_init)

    def forward(self, h, x):
        z, r = self.W_z(x), self.W_r(x)
        if h is not None:
            r += self.U_r(h)
            z += self.U_z(h)
        r, z = F.sigmoid(r), F.sigmoid(z)
        h_bar = self.W(x)
        if h is not None:
            h_bar += self.U(r * h)
        h_bar = F.tanh(h_bar)
        return z * h_bar if h is None else F.linear_interpolate(z, h_bar, h)


class StatefulGRU(GRUBase):
    """A GRU that keeps its state between calls."""

    _states = 'h',

    def __init__(self, in_size, out_size, init=None, inner_init=None, bias_init=0):
        super(StatefulGRU, self).__init__(in_size, out_size, init, inner_init, bias_init)
        self.state_size = out_size
        self.reset_state()

    def set_state(self, h):
        assert isinstance(h, variable.Variable)
        self._move_states(h)
        self.h = h

    def reset_state(self):
        self.h = None

    def forward(self, x):
        z, h_bar = self.W_z(x), self.W(x)
        if self.h is not None:
            r = F.sigmoid(self.W_r(x) + self.U_r(self.h))
            z += self.U_z(self.h)
            h_bar += self.U(r * self.h)
        z, h_bar = F.sigmoid(z), F.tanh(h_bar)
        self.h = z * h_bar if self.h is None else F.linear_interpolate(z, h_bar, self.h)
        return self.h


class GRU(StatefulGRU):
    """The manual's name of StatefulGRU."""

    def forward(self, *args):
        if len(args) != 1:  # the name of StatelessGRU in version 1
            raise ValueError('GRU takes one argument, not {}; StatelessGRU takes the state, too'.format(len(args)))
        return super(GRU, self).forward(*args)
