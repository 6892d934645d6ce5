# SPDX-License-Identifier: MIT
"""Recurrent networks of several layers over sequences."""
import numpy

from chainer import link, variable
from chainer import functions as F
from chainer.initializers import normal


def argsort_list_descent(lst):
    return numpy.argsort([-len(x) for x in lst], kind='stable').astype(numpy.int32)


def permutate_list(lst, indices, inv):
    ret = [None] * len(lst)
    for i, at in enumerate(indices):
        if inv:
            ret[at] = lst[i]
        else:
            ret[i] = lst[at]
    return ret


class NStepRNNBase(link.ChainList):
    """The weights w0 ..., b0 ... of each layer (and direction). Sequences may be in any order."""

    n_weights = None
    use_bi_direction = False
    n_cells = None

    def __init__(self, n_layers, in_size, out_size, dropout, **kwargs):
        if kwargs:
            from chainer.utils import argument
            argument.check_unexpected_kwargs(
                kwargs, use_cudnn='use_cudnn argument is not supported anymore. Use chainer.using_config',
                use_bi_direction='use_bi_direction is not supported anymore',
                activation='activation is not supported anymore')
            argument.assert_kwargs_empty(kwargs)
        direction = 2 if self.use_bi_direction else 1
        layers = []
        for i in range(n_layers):
            for _ in range(direction):
                layer = link.Link()
                with layer.init_scope():
                    for j in range(self.n_weights):
                        if i == 0 and j < self.n_weights // 2:
                            w_in = in_size
                        elif i > 0 and j < self.n_weights // 2:
                            w_in = out_size * direction
                        else:
                            w_in = out_size
                        w = variable.Parameter(normal.Normal(numpy.sqrt(1. / w_in)), (out_size, w_in))
                        b = variable.Parameter(0, (out_size,))
                        setattr(layer, 'w%d' % j, w)
                        setattr(layer, 'b%d' % j, b)
                layers.append(layer)
        super(NStepRNNBase, self).__init__(*layers)
        self.n_layers, self.dropout, self.out_size, self.direction = n_layers, dropout, out_size, direction

    @property
    def ws(self):
        return [[getattr(layer, 'w%d' % i) for i in range(self.n_weights)] for layer in self]

    @property
    def bs(self):
        return [[getattr(layer, 'b%d' % i) for i in range(self.n_weights)] for layer in self]

    def init_hx(self, xs):
        shape = (self.n_layers * self.direction, len(xs), self.out_size)
        return variable.Variable(self._zeros(shape, dtype=xs[0].dtype))

    def rnn(self, *args):
        raise NotImplementedError

    def forward(self, hx, xs, **kwargs):
        (hy,), ys = self._forward([hx], xs)
        return hy, ys

    def _forward(self, states, xs):
        if not isinstance(xs, (list, tuple)):
            raise TypeError('xs must be a list or a tuple of sequences')
        indices = argsort_list_descent(xs)
        xs = permutate_list(xs, indices, inv=False)
        states = [self.init_hx(xs) if s is None else F.permutate(s, indices, axis=1) for s in states]
        xs = F.transpose_sequence(xs)  # the functions take the items of each time step
        result = self.rnn(*([self.n_layers, self.dropout] + states + [self.ws, self.bs, xs]))
        states = [F.permutate(s, indices, axis=1, inv=True) for s in result[:-1]]
        ys = list(F.transpose_sequence(result[-1]))
        for _ in range(len(indices) - len(ys)):  # sequences without elements, which are last
            ys.append(variable.Variable(self._zeros((0, self.out_size * self.direction), dtype=xs[0].dtype)))
        return states, permutate_list(ys, indices, inv=True)


class NStepRNNTanh(NStepRNNBase):
    n_weights, n_cells = 2, 1

    def rnn(self, *args):
        return F.n_step_rnn(*args, activation='tanh')


class NStepRNNReLU(NStepRNNBase):
    n_weights, n_cells = 2, 1

    def rnn(self, *args):
        return F.n_step_rnn(*args, activation='relu')


class NStepBiRNNTanh(NStepRNNBase):
    n_weights, n_cells, use_bi_direction = 2, 1, True

    def rnn(self, *args):
        return F.n_step_birnn(*args, activation='tanh')


class NStepBiRNNReLU(NStepRNNBase):
    n_weights, n_cells, use_bi_direction = 2, 1, True

    def rnn(self, *args):
        return F.n_step_birnn(*args, activation='relu')


def __getattr__(name):
    # Pickles of earlier versions have these classes here.
    if name in ('NStepBiGRU', 'NStepBiLSTM', 'NStepGRU', 'NStepLSTM'):
        import importlib
        module = 'n_step_gru' if name.endswith('GRU') else 'n_step_lstm'
        return getattr(importlib.import_module('chainer.links.connection.' + module), name)
    raise AttributeError('module {} has no attribute {!r}'.format(__name__, name))
