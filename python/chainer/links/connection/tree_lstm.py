# SPDX-License-Identifier: MIT
from chainer import link, variable
from chainer import functions as F
from chainer.backends import cuda
from chainer.links.connection import linear


def _zeros(shape, like):
    return variable.Variable(cuda.get_array_module(like).zeros(shape, like.dtype), requires_grad=False)


class _TreeLSTM(link.Chain):
    """Base of both: arguments are the children's cells, their outputs and x, each of which may be None."""

    def _arguments(self, cshsx):
        if len(cshsx) % 2 == 0:
            raise ValueError('as many cells as outputs of children, then x are expected, not {} arguments'.format(
                len(cshsx)))
        some = [v for v in cshsx if v is not None]
        if not some:
            raise ValueError('all of the children\'s states and x are None')
        n = len(cshsx) // 2
        x = cshsx[-1]
        if x is None:
            x = _zeros((len(some[0]), self.in_size), some[0])
        shape = (len(x), self.state_size)
        cs = [_zeros(shape, x) if c is None else c for c in cshsx[:n]]
        return cs, list(cshsx[n:2 * n]), x, shape


class ChildSumTreeLSTM(_TreeLSTM):
    """A tree-structured LSTM for any number of children."""

    def __init__(self, in_size, out_size):
        super(ChildSumTreeLSTM, self).__init__()
        with self.init_scope():
            self.W_x = linear.Linear(in_size, 4 * out_size)
            self.W_h_aio = linear.Linear(out_size, 3 * out_size, nobias=True)
            self.W_h_f = linear.Linear(out_size, out_size, nobias=True)
        self.in_size, self.state_size = in_size, out_size

    def forward(self, *cshsx):
        cs, hs, x, shape = self._arguments(cshsx)
        aio, f = F.split_axis(self.W_x(x), [3 * self.state_size], axis=1)
        if not hs:
            a, i, o = F.split_axis(aio, 3, axis=1)
            c = F.sigmoid(i) * F.tanh(a)
            return c, F.sigmoid(o) * F.tanh(c)
        hs = [_zeros(shape, x) if h is None else h for h in hs]
        aio = self.W_h_aio(sum(hs[1:], hs[0])) + aio
        gates = [aio] + [self.W_h_f(h) + f for h in hs]
        return F.tree_lstm(*(cs + [F.concat(gates, axis=1)]))


class NaryTreeLSTM(_TreeLSTM):
    """A tree-structured LSTM for a fixed number of children."""

    def __init__(self, in_size, out_size, n_ary=2):
        assert n_ary >= 1
        super(NaryTreeLSTM, self).__init__()
        with self.init_scope():
            self.W_x = linear.Linear(in_size, (3 + n_ary) * out_size)
            for i in range(1, n_ary + 1):
                setattr(self, 'W_h%d' % i, linear.Linear(out_size, (3 + n_ary) * out_size, nobias=True))
        self.in_size, self.state_size, self.n_ary = in_size, out_size, n_ary

    def forward(self, *cshsx):
        assert len(cshsx) == self.n_ary * 2 + 1
        cs, hs, x, _ = self._arguments(cshsx)
        gates = self.W_x(x)
        for i, h in enumerate(hs, start=1):
            if h is not None:
                gates += getattr(self, 'W_h%d' % i)(h)
        return F.tree_lstm(*(cs + [gates]))
