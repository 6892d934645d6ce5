# SPDX-License-Identifier: MIT
"""Objects that refer to each other through a graph are collected; those that something holds are not."""
import gc
import threading
import weakref

import numpy as np
import pytest

import chainer
import chainer.functions as F
import chainer.links as L


def ones(*shape):
    return chainer.Variable(np.ones(shape, 'f'))


class Net(chainer.Chain):
    def __init__(self):
        super(Net, self).__init__()
        with self.init_scope():
            self.l = L.Linear(3, 3)

    def block(self, x):
        return F.tanh(self.l(x))

    def forward(self, x):
        self.h = F.forget(self.block, x)
        return self.h


class Keep(chainer.FunctionNode):
    def forward(self, x):
        return x[0] * 2,

    def backward(self, indexes, gys):
        return gys[0] * 2,


class Other(object):
    pass


def own_output():
    f = Keep()
    f.y, = f.apply((ones(3),))
    return f


def net():
    model = Net()
    model(ones(2, 3))
    return model


def classifier():
    """The loss and the prediction below it are both kept."""
    model = Net()
    model.classifier = L.Classifier(model)
    model.classifier(ones(2, 3), np.zeros(2, 'i'))
    return model


def after_backward():
    model = classifier()
    model.classifier.loss.backward()
    return model


def two_steps():
    """The second output depends on the first, and both are kept."""
    model = net()
    model.first = model.h
    model(model.h)
    return model


def second_gradients():
    f = own_output()
    f.x = ones(3)
    f.z = F.sum(f.y * f.x)
    f.z.backward(enable_double_backprop=True)
    return f


def attribute():
    v = ones(3)
    v.other = Other()
    v.other.v = v
    return v.other


MAKERS = [own_output, net, classifier, after_backward, two_steps, second_gradients, attribute]


@pytest.mark.parametrize('make', MAKERS)
def test_cycles_are_collected(make):
    alive = [weakref.ref(make()) for _ in range(5)]
    gc.collect()
    assert [r() for r in alive] == [None] * 5


@pytest.mark.parametrize('make', MAKERS)
def test_what_is_held_stays(make):
    held = make()
    outputs = [v for v in held.__dict__.values() if isinstance(v, chainer.Variable) and v.creator is not None]
    before = [v.array.copy() for v in outputs]
    gc.collect()
    gc.collect()
    for v, a in zip(outputs, before):
        np.testing.assert_array_equal(v.array, a)
        F.sum(v).backward()


def test_a_graph_alone_holds_its_function():
    model = Net()
    x = ones(2, 3)
    y = F.sum(model(x) * 2)
    there = weakref.ref(model)
    del model
    gc.collect()
    assert there() is not None  # y needs block() for its gradient
    y.backward()
    assert x.grad.shape == (2, 3)
    del y
    gc.collect()
    assert there() is None


def test_a_node_holds_what_is_below_it():
    f = own_output()
    node, there = f.y.node, weakref.ref(f)
    del f
    gc.collect()
    assert there() is node.creator_node
    del node
    gc.collect()
    assert there() is None


def test_collections_within_functions():
    class Collecting(chainer.FunctionNode):
        def forward(self, x):
            gc.collect()
            return x[0] * 3,

        def backward(self, indexes, gys):
            gc.collect()
            return gys[0] * 3,
    x = ones(3)
    y, = Collecting().apply((own_output().y * x,))
    y, = Collecting().apply((y * x,))
    gc.collect()
    F.sum(y).backward()
    assert x.grad.tolist() == [36] * 3


def test_collections_beside_other_threads():
    errors, done = [], []

    def work():
        x = chainer.Variable(np.ones((64, 1024), 'f'))
        for _ in range(20):
            f = Keep()
            f.y, = f.apply((F.tanh(x * 2),))
            F.sum(f.y).backward()
            if not np.isfinite(x.grad).all():
                errors.append(x.grad)
            x.cleargrad()
        done.append(1)
    threads = [threading.Thread(target=work) for _ in range(3)]
    [t.start() for t in threads]
    while any([t.is_alive() for t in threads]):
        gc.collect()
    assert not errors and len(done) == 3


def test_long_chains():
    y = own_output().y
    first = weakref.ref(y.creator)
    for _ in range(30000):
        y = y + 1
    model = Other()
    model.y, model.f = y, own_output()
    model.f.model = model
    there = weakref.ref(model)
    del y
    gc.collect()
    assert there() is model and first() is not None
    del model
    gc.collect()
    assert there() is None and first() is None
