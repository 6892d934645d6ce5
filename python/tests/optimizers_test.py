# SPDX-License-Identifier: MIT
"""Optimizers: the memory of parameters and states, and rules that are not the library's."""
import copy

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import _core, optimizers


def step(model, optimizer, x):
    loss = F.sum(model(x) ** 2)
    model.cleargrads()
    loss.backward()
    optimizer.update()


def test_parameters_lie_in_memory_of_the_library():
    """So that nothing that waits on them is hurried, and forms of filters are kept: also through steps and copies."""
    known, late = L.Linear(3, 2), L.Linear(None, 2)
    x = np.ones((2, 3), 'f')
    late(x)
    for link in (known, late, copy.deepcopy(known), known.copy('init'), known.copy('copy')):
        optimizer = optimizers.Adam().setup(link)
        for _ in range(2):
            step(link, optimizer, x)
        for p in link.params():
            assert not _core.is_shared(p)
            look = p.array
            assert _core.is_shared(p)
            look[...] = 3
            del look
            assert not _core.is_shared(p) and (p.array == 3).all()


def test_copies_that_share_wait_for_one_array():
    link = L.Linear(None, 2)
    other = link.copy('share')
    link(np.ones((2, 3), 'f'))
    other.W.array[...] = 5
    assert (link.W.array == 5).all()


def test_array_of_the_user_stays_the_parameters():
    a = np.ones((2, 3), 'f')
    assert chainer.Parameter(a).array is a


def test_update_is_that_of_each_rule():
    """Rules of the optimizer's own class are updated together; what differs in a rule counts all the same."""
    def run(change):
        model = chainer.Sequential(L.Linear(3, 2, initialW=0.5), L.Linear(2, 2, initialW=0.25))
        optimizer = optimizers.MomentumSGD(0.1).setup(model)
        change(model[0].W.update_rule)
        for _ in range(3):
            for p in model.params():
                p.grad = np.ones_like(p.array)
            optimizer.update()
        assert model[1].W.update_rule.t == 3
        return model[0].W.array.ravel()[0], model[1].W.array.ravel()[0]

    plain = run(lambda rule: None)
    np.testing.assert_allclose([plain[0] - 0.5, plain[1] - 0.25], -0.1 * (1 + 1.9 + 2.71), rtol=1e-6)

    def slower(rule):
        rule.hyperparam.lr = 0.05
    np.testing.assert_allclose(run(slower)[0], 0.5 - 0.05 * (1 + 1.9 + 2.71), rtol=1e-6)

    def disabled(rule):
        rule.enabled = False
    assert run(disabled) == (0.5, plain[1])

    def hooked(rule):
        rule.add_hook(lambda rule, p: setattr(p, 'grad', p.grad * 2), 'twice')
    np.testing.assert_allclose(run(hooked)[0], 0.5 - 0.2 * (1 + 1.9 + 2.71), rtol=1e-6)

    def replaced(rule):
        rule.update_core = lambda p: p.array.fill(7)
    assert run(replaced) == (7, plain[1])


def test_update_of_a_parameters_own_class():
    class Frozen(chainer.Parameter):
        def update(self):
            pass

    class Model(chainer.Link):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.a, self.b = Frozen(1., (2,)), chainer.Parameter(1., (2,))
    model = Model()
    optimizer = optimizers.SGD(0.5).setup(model)
    for p in model.params():
        p.grad = np.ones_like(p.array)
    optimizer.update()
    assert (model.a.array == 1).all() and (model.b.array == 0.5).all()


def test_gradients_that_are_not_there_are_zeros_for_hooks():
    model = L.Linear(3, 2, initialW=1.)
    optimizer = optimizers.SGD(0.5).setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(0.5))
    model.cleargrads()
    optimizer.update()
    assert (model.W.array == 0.75).all() and (model.b.grad == 0).all()


def test_memory_of_smorms3_begins_with_one():
    p = chainer.Parameter(np.ones(2, 'f'))
    p.update_rule = optimizers.SMORMS3().create_update_rule()
    for expected in (0.99858576, 0.9973905):  # release 5.4
        p.grad = np.ones(2, 'f')
        p.update()
        np.testing.assert_allclose(p.array, expected, rtol=1e-6)
    np.testing.assert_allclose(p.update_rule.state['mem'], 1.45, rtol=1e-6)
