# SPDX-License-Identifier: MIT
"""functions.forget: the gradients are those of the function itself, by its inputs and by the parameters it reads."""
import numpy as np
import pytest

import chainer
import chainer.functions as F
import chainer.links as L


def gradients(link, use, x, scale=None):
    link.cleargrads()
    ys = use(x)
    ys = ys if isinstance(ys, tuple) else (ys,)
    sum([F.sum(F.square(y)) * (k + 1) for k, y in enumerate(ys)]).backward(loss_scale=scale)
    x_grad = x.grad if isinstance(x, chainer.Variable) else None
    return [y.array for y in ys], x_grad, [(p.grad, p._loss_scale) for p in link.params()]


def compare(link, func, x, scale=None):
    with_graph = gradients(link, func, x, scale)
    if isinstance(x, chainer.Variable):
        x.cleargrad()
    forgotten = gradients(link, lambda v: F.forget(func, v), x, scale)
    for y, z in zip(with_graph[0], forgotten[0]):
        np.testing.assert_array_equal(y, z)
    if isinstance(x, chainer.Variable):
        np.testing.assert_allclose(forgotten[1], with_graph[1], rtol=1e-6)
    for (g, s), (h, t) in zip(with_graph[2], forgotten[2]):
        assert h is not None and s == t
        np.testing.assert_allclose(h, g, rtol=1e-6)


@pytest.mark.parametrize('scale', [None, 8.])
@pytest.mark.parametrize('func', ['one', 'tuple_of_one', 'two', 'identity', 'without_relu'])
def test_gradients(func, scale):
    link = L.Linear(3, 3)
    func = {'one': lambda a: F.relu(link(a)),
            'tuple_of_one': lambda a: (F.relu(link(a)),),
            'two': lambda a: (F.tanh(link(a)), F.sin(link(a * 2))),
            'identity': lambda a: (a, link(a)),
            'without_relu': lambda a: link(a)}[func]
    compare(link, func, chainer.Variable(np.random.randn(4, 3).astype('f')), scale)


def test_parameters_behind_an_array_have_gradients():
    link = L.Linear(3, 2)
    x = np.random.randn(4, 3).astype('f')
    with_graph = gradients(link, lambda v: F.relu(link(chainer.Variable(v))), x)
    forgotten = gradients(link, lambda v: F.forget(lambda a: F.relu(link(a)), v), x)
    for (g, _), (h, _) in zip(with_graph[2], forgotten[2]):
        np.testing.assert_allclose(h, g, rtol=1e-6)


def test_one_result_is_a_variable():
    x = chainer.Variable(np.ones((2, 3), 'f'))
    assert isinstance(F.forget(lambda a: a * 2, x), chainer.Variable)
    assert isinstance(F.forget(lambda a: (a * 2,), x), chainer.Variable)
    assert isinstance(F.forget(lambda a: (a, a * 2), x), tuple)


def test_outputs_without_gradients():
    link = L.Linear(3, 3)
    x = chainer.Variable(np.random.randn(2, 3).astype('f'))
    _, second = F.forget(lambda a: (F.exp(a), F.tanh(link(a))), x)
    link.cleargrads()
    F.sum(second).backward()
    with_forget = x.grad, link.W.grad
    x.cleargrad()
    link.cleargrads()
    F.sum(F.tanh(link(x))).backward()
    np.testing.assert_allclose(with_forget[0], x.grad, rtol=1e-6)
    np.testing.assert_allclose(with_forget[1], link.W.grad, rtol=1e-6)


def test_a_network_trains():
    class Net(chainer.Chain):
        def __init__(self):
            super(Net, self).__init__()
            with self.init_scope():
                self.l1, self.out = L.Linear(8, 16), L.Linear(16, 2)

        def forward(self, x):
            return self.out(F.forget(lambda a: F.relu(self.l1(a)), x))
    net = Net()
    optimizer = chainer.optimizers.SGD(0.1).setup(net)
    for _ in range(3):
        before = net.l1.W.array.copy()
        x = np.random.randn(16, 8).astype('f')
        optimizer.update(lambda: F.softmax_cross_entropy(net(x), (x[:, 0] > 0).astype('i')))
        assert abs(net.l1.W.array - before).max() > 0


@pytest.mark.parametrize('kind', ['spectral', 'renormalization', 'finetune'])
def test_two_calls_repeat_the_state_that_each_of_them_found(kind):
    x = np.random.RandomState(1).randn(8, 3).astype('d') * 2 + 1

    def results(forget):
        np.random.seed(1)
        with chainer.using_config('dtype', np.float64):
            if kind == 'spectral':
                link = L.Linear(3, 2)
                link.add_hook(chainer.link_hooks.SpectralNormalization())
                call = link
            else:
                link = L.BatchRenormalization(3, rmax=2, dmax=1)
                link(x * 0.5)

                def call(v):
                    return link(v, finetune=kind == 'finetune')
        first, second = chainer.Variable(x), chainer.Variable(x * x)
        link.cleargrads()
        ys = [F.forget(call, v) if forget else call(v) for v in (first, second)]
        F.sum(F.square(ys[0]) * 2 + F.square(ys[1]) * ys[0]).backward()
        kept = [] if kind == 'spectral' else [link.avg_mean, link.avg_var, link.N]
        return [first.grad, second.grad] + [p.grad for p in link.params()] + kept
    for a, b in zip(results(True), results(False)):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)
