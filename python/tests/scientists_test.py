# SPDX-License-Identifier: MIT
"""What scripts rely on and the release does: values that must not differ silently."""
import copy
import inspect
import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import optimizers


def randn(*shape):
    return np.random.randn(*shape).astype('f')


# Indices

@pytest.mark.parametrize('index', [
    [0, 2], [range(3), [0, 2, 1]], [slice(1, 3), 0], [[0, 1], [1, 2]], [True, False, True, True], [Ellipsis, 1],
    [None, 1], [np.int64(1), np.int64(2)], [np.array([0, 1]), 2], []])
def test_lists_as_indices(index):
    """A list of ints is an array of indices, any other list a tuple."""
    x = randn(4, 3, 5)
    expected = x[index if all([isinstance(i, int) for i in index]) else
                 tuple([list(i) if isinstance(i, range) else i for i in index])]
    v = chainer.Variable(x)
    np.testing.assert_array_equal(v[index].array, expected)
    y = F.get_item(v, index)
    np.testing.assert_array_equal(y.array, expected)
    F.sum(y).backward()
    assert v.grad.sum() == expected.size
    added = F.scatter_add(np.zeros_like(x), index, np.ones_like(expected))
    np.testing.assert_array_equal(added.array, v.grad)


# Optimizers

def two_parameters():
    link = chainer.Link()
    with link.init_scope():
        link.W, link.b = chainer.Parameter(randn(3, 2)), chainer.Parameter(randn(3))
    return link


def steps(link, rules, count=3):
    optimizer = optimizers.Adam(alpha=.1).setup(link)
    for name, rule in rules.items():
        getattr(link, name).update_rule = rule(optimizer.hyperparam)
    for k in range(count):
        for p in link.params():
            p.grad = np.full_like(p.array, k + 1)
        optimizer.update()
    return [p.array for p in link.params()]


def test_rules_that_choose_their_own_learning_rate():
    class Slow(optimizers.adam.AdamRule):
        @property
        def lr(self):
            return super(Slow, self).lr / 8

    class Still(optimizers.adam.AdamRule):
        lr = 0
    plain = two_parameters()
    slow, still = copy.deepcopy(plain), copy.deepcopy(plain)
    start = plain.W.array.copy()
    steps(plain, {})
    steps(slow, {'W': Slow})
    steps(still, {'W': Still})
    np.testing.assert_allclose(slow.W.array - start, (plain.W.array - start) / 8, rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(still.W.array, start)
    np.testing.assert_array_equal(slow.b.array, plain.b.array)


def test_rules_that_set_hyperparameters_in_init_state():
    """As BERT's optimizer does: weights decay, biases do not, from the first step on."""
    class Decay(optimizers.adam.AdamRule):
        def init_state(self, param):
            super(Decay, self).init_state(param)
            if param.ndim > 1:
                self.hyperparam.weight_decay_rate = .5
    for order in (('W', 'b'), ('b', 'W')):
        plain = two_parameters()
        decayed = copy.deepcopy(plain)
        start = plain.W.array.copy()
        steps(plain, {}, 1)
        steps(decayed, {name: Decay for name in order}, 1)
        np.testing.assert_allclose(decayed.W.array, plain.W.array - .5 * start, rtol=1e-4, atol=1e-6)
        np.testing.assert_array_equal(decayed.b.array, plain.b.array)


# Copies

@pytest.mark.parametrize('copied', [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_deep_copies_share_what_was_shared(copied):
    first = L.Linear(2, 3)
    both = copied(chainer.ChainList(first, first.copy()))
    assert both[0].W is not both[1].W and both[0].W.array is both[1].W.array
    both[0].W.array[...] = 5
    assert (both[1].W.array == 5).all() and not (first.W.array == 5).any()
    optimizers.SGD(1.).setup(both[1])
    both[1].W.grad = np.ones((3, 2), 'f')
    both[1].W.update()
    assert (both[0].W.array == 4).all()


def test_cast_makes_a_variable():
    x = chainer.Variable(randn(3))
    a, b = F.cast(x, 'f'), F.cast(x, np.float32)
    assert a is not x and a is not b and a.node is not b.node
    F.sum(a * 2 + b).backward(retain_grad=True)
    assert a.grad.tolist() == [2] * 3 and b.grad.tolist() == [1] * 3 and x.grad.tolist() == [3] * 3
    with chainer.no_backprop_mode():
        assert F.cast(x, 'f') is x


# Arrays that are replaced between forward and backward

def test_gradients_at_arrays_that_were_put_in_since():
    x, w = chainer.Variable(randn(4, 3)), chainer.Variable(randn(3, 3))
    y = F.matmul(x, w)
    w.array = w.array + 1
    F.sum(y).backward()
    np.testing.assert_allclose(x.grad, np.tile(w.array.sum(1), (4, 1)), rtol=1e-5)


def test_gradients_of_a_second_loss_after_a_step_by_hand():
    model, x = L.Linear(3, 3), randn(4, 3)
    h = model(x)
    y = model(F.tanh(h))
    first, second = F.sum(y), F.sum(y * y)
    first.backward()
    for p in model.params():
        p.array = p.array - .5 * p.grad
    model.cleargrads()
    second.backward()
    # y and h are those of the old weights, the weights of the product the new ones.
    gy = 2 * y.array
    gh = gy.dot(model.W.array) * (1 - np.tanh(h.array) ** 2)
    np.testing.assert_allclose(model.W.grad, gy.T.dot(np.tanh(h.array)) + gh.T.dot(x), rtol=1e-4, atol=1e-5)


def test_outputs_that_are_replaced():
    x = chainer.Variable(randn(3))
    y = F.exp(x)
    y.array = np.full(3, 7, 'f')
    F.sum(y).backward()
    assert x.grad.tolist() == [7] * 3


# Variables and functions as objects

def test_attributes_of_variables():
    x = chainer.Variable(randn(3))
    x.tag = 'input'
    y = F.exp(x)
    y.tag = x
    assert x.tag == 'input' and y.tag is x
    with pytest.raises(AttributeError):
        x.other


def test_signatures_of_all_functions():
    found = [f for name, f in vars(F).items() if not name.startswith('_') and callable(f) and not isinstance(f, type)]
    assert len(found) > 200
    for f in found:
        inspect.signature(f)
    assert str(inspect.signature(F.max_pooling_2d)) == \
        '(x, ksize, stride=None, pad=0, cover_all=True, return_indices=False)'
    assert inspect.signature(F.triplet).parameters['reduce'].default == 'mean'


# Interruptions

def test_backward_is_interrupted():
    class Slow(chainer.FunctionNode):
        def forward(self, x):
            return x[0].copy(),

        def backward(self, indexes, gys):
            return gys

    x = chainer.Variable(randn(200, 200))
    w = randn(200, 200) * .05
    y = x
    for _ in range(3000):
        y = F.tanh(F.matmul(y, w))
    y = F.sum(y)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background ignore it
    started = time.time()
    timer = threading.Timer(.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            y.backward()
            whole = time.time() - started
            time.sleep(1)
            assert whole < .1
    finally:
        timer.join()
        signal.signal(signal.SIGINT, handler)
    assert x.grad is None  # what was computed by then is taken back
    z = chainer.Variable(randn(3))
    F.sum(z * 2).backward()
    assert z.grad.tolist() == [2] * 3


# Data

def test_masked_arrays_are_refused():
    masked = np.ma.array(randn(3), mask=[0, 1, 0])
    for use in (chainer.Variable, F.sum, lambda a: chainer.Variable(randn(3)) * a):
        with pytest.raises(TypeError):
            use(masked)
    with pytest.raises(TypeError, match='masked array.*filled'):
        chainer.Variable(masked)
    assert F.sum(masked.filled(0)).shape == ()


def test_threads_iterate_again_after_their_end():
    it = chainer.iterators.MultithreadIterator([1, 2, 3, 4], 2, repeat=False, shuffle=False)
    for _ in range(2):
        assert list(it) == [[1, 2], [3, 4]]
        it.finalize()
        it.reset()


@pytest.mark.parametrize('link', [L.LSTM, L.StatelessLSTM])
def test_a_recurrent_layer_that_is_sized_by_an_empty_batch(link):
    link, x = link(4), np.zeros((0, 3), 'f')
    y = link(x) if isinstance(link, L.LSTM) else link(None, None, x)[1]
    assert y.shape == (0, 4) and link.upward.W.shape == (16, 3)


def test_a_mirror_of_datasets(tmp_path, monkeypatch):
    from chainer.dataset import download
    (tmp_path / 'mirror' / 'set').mkdir(parents=True)
    (tmp_path / 'mirror' / 'set' / 'file.txt').write_text('there')
    monkeypatch.setattr(download, '_dataset_root', str(tmp_path / 'root'))
    url = 'http://nowhere.invalid/file.txt'
    for mirror in (str(tmp_path / 'mirror'), (tmp_path / 'mirror').as_uri() + '/'):
        monkeypatch.setenv('CHAINER_DATASET_MIRROR', mirror)
        path = download._cached_download(url, 'set/file.txt')
        with open(path) as f:
            assert f.read() == 'there'
        os.remove(path)
    from chainer.datasets import _fetch
    with open(_fetch.file(url, 'set')) as f:
        assert f.read() == 'there'
