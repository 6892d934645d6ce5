# SPDX-License-Identifier: MIT
"""Runs the recurrent links of release 5.4.0 over several calls and writes recurrent.npz, which the C++ tests read.

usage: make_recurrent.py      (with the Python of ../interop/release.py)
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'interop'))
from release import *  # noqa: E402

r = numpy.random.RandomState(2)
xs = [r.randn(3, 4).astype('f') for _ in range(4)]
states = [r.randn(3, 2).astype('f') for _ in range(6)]
lengths = [3, 5, 1, 3, 2]
sequences = [r.randn(n, 4).astype('f') for n in lengths]
out = {f'x{i}': x for i, x in enumerate(xs)}
out.update({f's{i}': s for i, s in enumerate(states)})
out.update({f'sequence{i}': s for i, s in enumerate(sequences)})


def record(name, make, call, train=True):
    """Initial parameters under a seed, all results, and the gradients of their weighted sum."""
    numpy.random.seed(4)
    link = make()
    with chainer.using_config('train', train):
        ys = call(link)
    loss = sum((i + 1) * F.sum(y) for i, y in enumerate(ys))
    link.cleargrads()
    loss.backward()
    for i, y in enumerate(ys):
        out[f'{name}/y{i}'] = y.array
    for path, p in link.namedparams():
        out[name + path] = p.array
        out[name + path + '_grad'] = p.grad


def each(link):
    return [link(x) for x in xs]


def shrinking(link):
    ys = [link(xs[0]), link(xs[1]), link(xs[2][:2]), link(xs[3][:1])]
    return ys + [link.c, link.h]


def stateless_lstm(link):
    c, h = link(None, None, xs[0])
    return [c, h] + list(link(c, h, xs[1]))


def stateless(link):
    h = link(chainer.Variable(states[0]), xs[0])
    return [h, link(h, xs[1])]


record('LSTM', lambda: L.LSTM(4, 2), shrinking)
record('LSTM_lazy', lambda: L.LSTM(2), each)
record('LSTM_options', lambda: L.LSTM(4, 2, lateral_init=chainer.initializers.Normal(0.3), upward_init=0.2, bias_init=0.5,
                                      forget_bias_init=-1), each)
record('StatelessLSTM', lambda: L.StatelessLSTM(4, 2), stateless_lstm)
record('GRU', lambda: L.GRU(4, 2), each)
record('StatefulGRU', lambda: L.StatefulGRU(4, 2, init=chainer.initializers.Normal(0.3), inner_init=0.2, bias_init=0.5), each)
record('StatelessGRU', lambda: L.StatelessGRU(4, 2), stateless)
record('StatefulMGU', lambda: L.StatefulMGU(4, 2), each)
record('StatelessMGU', lambda: L.StatelessMGU(4, 2), stateless)
record('StatefulPeepholeLSTM', lambda: L.StatefulPeepholeLSTM(4, 2), each)
record('StatefulZoneoutLSTM', lambda: L.StatefulZoneoutLSTM(4, 2), each, train=False)
c, h = [chainer.Variable(s) for s in states[:3]], [chainer.Variable(s) for s in states[3:]]
record('ChildSumTreeLSTM', lambda: L.ChildSumTreeLSTM(4, 2),
       lambda l: l(xs[0]) + l(c[0], h[0], xs[1]) + l(*c, *h, xs[2]) + l(None, c[1], h[0], None, xs[3]) + l(c[0], h[0], None))
record('NaryTreeLSTM', lambda: L.NaryTreeLSTM(4, 2),
       lambda l: l(c[0], c[1], h[0], h[1], xs[0]) + l(None, c[1], h[0], None, xs[1]) + l(c[0], c[1], h[0], h[1], None))
record('NaryTreeLSTM_3', lambda: L.NaryTreeLSTM(4, 2, n_ary=3), lambda l: l(*c, *h, xs[0]))


def n_step(cells):
    """A call without states, then one with the returned states and the sequences in another order."""
    def call(link):
        first = link(*[None] * cells, sequences)
        order = [0, 4, 2, 1, 3]
        second = link(*first[:-1], [sequences[i] for i in order])
        return [v for result in (first, second) for v in [*result[:-1], *result[-1]]]
    return call


for name in ('LSTM', 'BiLSTM', 'GRU', 'BiGRU', 'RNNTanh', 'BiRNNTanh', 'RNNReLU', 'BiRNNReLU'):
    cells = 2 if 'LSTM' in name else 1
    for layers in (1, 2):
        record(f'NStep{name}_{layers}', lambda: getattr(L, 'NStep' + name)(layers, 4, 2, 0.0), n_step(cells))

numpy.savez_compressed(HERE + '/recurrent.npz', **out)
print(len(out), 'arrays in recurrent.npz')
