# SPDX-License-Identifier: MIT
"""Classes of the release's gradient nodes on a device: their values are those of the host."""
import importlib
import os
import sys
import types

import numpy as np
import pytest

import chainer
from chainer.backends import cuda

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from gradient_classes_test import ROWS  # NOQA


def sent(a):
    if isinstance(a, types.SimpleNamespace):
        return types.SimpleNamespace(**{name: sent(value) for name, value in vars(a).items()})
    if isinstance(a, (tuple, list)):
        return type(a)([sent(v) for v in a])
    return cuda.to_gpu(a) if isinstance(a, np.ndarray) else a


@pytest.mark.parametrize('module, name, arguments, inputs, expected', ROWS, ids=[row[1] for row in ROWS])
def test_values_and_gradients(module, name, arguments, inputs, expected):
    cls = getattr(importlib.import_module('chainer.functions.' + module), name)
    found = []
    for move in (lambda a: a, sent):
        xs = [chainer.Variable(x) for x in move(inputs)]
        ys = [y for y in cls(*move(arguments)).apply(xs) if y.array is not None]
        floating = [x for x in xs if x.dtype.kind == 'f']
        gys = [chainer.Variable(move(np.cos(np.arange(y.size)).reshape(y.shape))) for y in ys]
        found.append([y.array for y in ys] + [
            g.array for g in chainer.grad(ys, floating, gys) if g is not None])
    assert len(found[0]) == len(found[1])
    for e, g in zip(*found):
        assert isinstance(g, cuda.ndarray)
        np.testing.assert_allclose(g.get(), e, rtol=1e-6, atol=1e-9)


def test_words_and_gates():
    from chainer.functions.activation import lstm
    from chainer.functions.connection.embed_id import EmbedIDGrad
    rng = np.random.RandomState(0)
    c, x, gh, gy = rng.rand(3, 2), rng.rand(2, 8), rng.rand(2, 2), rng.rand(3, 4)
    found = []
    for move in (lambda a: a, sent):
        ids, gW = move(np.array([1, -1, 1])), chainer.Variable(move(gy))
        y, = EmbedIDGrad((5, 4), -1).apply((ids, gW))
        chainer.functions.sum(y * y).backward()
        found.append([y, gW.grad_var] + list(lstm.LSTMGrad()(*move([c, x, c]), None, move(gh))))
    for e, g in zip(*found):
        np.testing.assert_allclose(g.array.get(), e.array, rtol=1e-6)
