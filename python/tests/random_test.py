# SPDX-License-Identifier: MIT
"""Programs at random, threads, errors and ten thousand graphs: what NumPy and Python hold of the library's memory."""
import gc
import os
import random
import sys
import threading

import numpy as np
import pytest

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import _core


class Memory(object):
    """An ndarray of the test's own that should always equal one of the library's memories."""

    def __init__(self, values):
        self.values = values


class Program(object):
    """Variables, each with a view of a Memory that says what it must hold."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.live, self.looks = [], []
        for _ in range(3):
            self.fresh()

    def fresh(self):
        a = np.random.RandomState(self.rng.randrange(1 << 30)).randint(-8, 9, (6, 40)).astype('f')
        self.live.append((chainer.Variable(a), a.copy()))

    def add(self, x, want):
        assert x.shape == want.shape
        self.live.append((x, want))

    def compute(self, x, want):
        """A result in memory of its own."""
        f = self.rng.randrange(6)
        if f == 0:
            self.add(x * 2 + 1, want * 2 + 1)
        elif f == 1:
            self.add(F.absolute(x) - x, abs(want) - want)
        elif f == 2:
            self.add(F.clip(x, -4., 4.), np.clip(want, -4, 4))
        elif f == 3 and x.ndim == 2:
            self.add(F.sum(x, axis=0), want.sum(0))
        elif f == 4:
            y, other = self.rng.choice(self.live)
            if y.shape == x.shape:
                self.add(F.maximum(x, y), np.maximum(want, other))
        else:
            self.add(F.concat((x, x), axis=0), np.concatenate((want, want)))

    def view(self, x, want):
        """A variable on an ndarray that shows a part of the same memory."""
        a, f = x.array, self.rng.randrange(4)
        n = len(a)
        i = self.rng.randrange(max(n - 1, 1))
        cut = [lambda v: v[i:], lambda v: v[::-1], lambda v: v.T, lambda v: v.reshape(-1)][f]
        if n > 1 and (f != 3 or (a.flags.c_contiguous and want.flags.c_contiguous)):
            self.add(chainer.Variable(cut(a)), cut(want))

    def write(self, x, want):
        a, f = x.array, self.rng.randrange(3)
        if not a.flags.writeable or not a.size:
            return
        v = np.float32(self.rng.randrange(-8, 9))
        if f == 0:
            a[...] = v
            want[...] = v
        elif f == 1:
            i = self.rng.randrange(len(a))
            a[i] = v
            want[i] = v
        else:
            np.clip(a + v, -50, 50, out=a)
            np.clip(want + v, -50, 50, out=want)

    def step(self):
        x, want = self.rng.choice(self.live)
        f = self.rng.randrange(10)
        if f < 3:
            self.compute(x, want)
        elif f == 3:
            self.view(x, want)
        elif f < 6:
            self.write(x, want)
        elif f == 6:
            self.looks.append(x.array)
        elif f == 7 and self.looks:
            self.looks.pop(self.rng.randrange(len(self.looks)))
        elif f == 8 and len(self.live) > 8:
            self.live.pop(self.rng.randrange(len(self.live)))
        elif len(self.live) < 4:
            self.fresh()
        if len(self.live) > 30:
            del self.live[:10]
        # What is too long or too large for small whole numbers goes.
        self.live = [(y, w) for y, w in self.live if w.size <= 2000 and (not w.size or abs(w).max() < 1e5)]
        if len(self.live) < 2:
            self.fresh()

    def check(self):
        for x, want in self.live:
            assert np.array_equal(x.array, want)


@pytest.mark.parametrize('seed', range(12))
def test_looks_writes_views_operations_and_deletions(seed):
    program = Program(seed)
    for i in range(200):
        program.step()
        if i % 7 == 0:
            x, want = program.rng.choice(program.live)
            assert np.array_equal(x.array, want)
    program.check()
    del program, x, want
    gc.collect()
    assert _core.exposed() == 0


def resident():
    with open('/proc/self/statm') as f:
        return int(f.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')


@pytest.mark.skipif(not os.path.exists('/proc/self/statm'), reason='reads the memory of Linux')
def test_ten_thousand_graphs_in_flat_memory():
    np.random.seed(0)
    model = chainer.Sequential(L.Linear(6, 8), F.relu, L.Linear(8, 3))
    x, t = np.random.rand(4, 6).astype('f'), np.array([0, 1, 2, 0], 'i')

    class Twice(chainer.FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((0,))
            return inputs[0] * 2,

        def backward(self, indexes, gys):
            return gys[0] * 2,

    def graph(i):
        loss = F.softmax_cross_entropy(Twice().apply((model(x),))[0], t)
        model.cleargrads()
        loss.backward(enable_double_backprop=i % 3 == 0)
        if i % 3 == 0:  # a graph of gradients that nobody goes through
            g = chainer.grad([loss], [model[0].W], enable_double_backprop=True)[0]
            F.sum(g * g).array
    for i in range(500):
        graph(i)
    gc.collect()
    blocks, memory = sys.getallocatedblocks(), resident()
    gc.disable()  # nothing may need the collector
    try:
        for i in range(10000):
            graph(i)
    finally:
        gc.enable()
    assert sys.getallocatedblocks() - blocks < 300
    assert resident() - memory < 2 << 20


def test_threads_build_graphs_of_their_own():
    """Losses of four threads at once, through functions of Python, are those of one."""
    class Square(chainer.FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((0,))
            return inputs[0] * inputs[0],

        def backward(self, indexes, gys):
            return gys[0] * self.get_retained_inputs()[0] * 2,
    a = np.random.RandomState(0).rand(64, 800).astype('f')

    def gradient():
        x = chainer.Variable(a)
        h = F.tanh(Square().apply((x,))[0])
        F.sum(F.exp(h) * h).backward()
        return x.grad.copy()
    expected, failures = gradient(), []

    def work(k):
        try:
            for i in range(30):
                with chainer.using_config('train', bool((i + k) % 2)):
                    g = gradient()
                    assert chainer.config.train == bool((i + k) % 2)
                if not np.allclose(g, expected, rtol=1e-5):
                    failures.append(k)
        except BaseException as e:
            failures.append(e)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not failures


def test_variables_cross_threads_and_die_there():
    import queue
    box, done = queue.Queue(), []

    def consume():
        while True:
            y = box.get()
            if y is None:
                return
            F.sum(y).backward()
            done.append(float(y.array.sum()))
            del y
    thread = threading.Thread(target=consume)
    thread.start()
    for i in range(200):
        box.put(F.relu(chainer.Variable(np.full((3, 4), i, 'f')) + 1))
    box.put(None)
    thread.join()
    assert done == [12. * (i + 1) for i in range(200)]


class Mine(Exception):
    pass


class Raises(chainer.FunctionNode):
    where = 'forward'

    def forward(self, inputs):
        if self.where == 'forward':
            raise Mine(inputs[0].shape)
        return inputs[0] + 1,

    def backward(self, indexes, gys):
        if self.where == 'backward':
            raise Mine(gys[0].shape)
        return gys[0] if self.where != 'wrong' else 'text',

    def check_type_forward(self, in_types):
        if self.where == 'check':
            raise Mine()


def fail(*args):
    raise Mine()


@pytest.mark.parametrize('where', ['forward', 'check', 'backward'])
def test_error_in_a_function_of_python(where):
    x = chainer.Variable(np.ones((2, 3), 'f'))
    counts = None
    for i in range(60):
        f = Raises()
        f.where = where
        with pytest.raises(Mine):
            F.sum(F.exp(f.apply((x * 2,))[0])).backward()
        del f
        if i in (20, 59):
            gc.collect()
            counts, before = sys.getallocatedblocks(), counts
    assert counts - before < 100
    # The thread goes on as if nothing had been.
    x.cleargrad()
    F.sum(x * 3).backward()
    assert (x.grad == 3).all()


def test_gradients_of_the_wrong_kind():
    x, f = chainer.Variable(np.ones((2, 3), 'f')), Raises()
    f.where = 'wrong'
    with pytest.raises((TypeError, ValueError)):
        F.sum(f.apply((x,))[0]).backward()


@pytest.mark.parametrize('method', ['forward_preprocess', 'forward_postprocess', 'backward_preprocess',
                                    'backward_postprocess'])
def test_error_in_a_hook(method):
    x = chainer.Variable(np.ones((2, 3), 'f'))

    class Hook(chainer.FunctionHook):
        pass
    setattr(Hook, method, fail)
    with pytest.raises(Mine):
        with Hook():
            F.sum(F.exp(x)).backward()
    x.cleargrad()
    F.sum(x).backward()
    assert (x.grad == 1).all() and not chainer.get_function_hooks()


def test_error_inside_of_forget_and_of_a_recomputation():
    x = chainer.Variable(np.ones(3, 'f'))
    with pytest.raises(Mine):
        F.forget(lambda v: Raises().apply((v,))[0], x)
    calls = []

    def second_time(v):
        calls.append(1)
        if len(calls) == 2:
            raise Mine()
        return v * 2
    with pytest.raises(Mine):
        F.sum(F.forget(second_time, x)).backward()
    assert chainer.config.enable_backprop


def test_function_of_python_sees_the_mode_of_backward():
    seen = []

    class Looks(chainer.FunctionNode):
        def forward(self, inputs):
            return inputs[0] + 1,

        def backward(self, indexes, gys):
            seen.append(chainer.config.enable_backprop)
            with chainer.force_backprop_mode():
                seen.append(chainer.config.enable_backprop)
            seen.append(chainer.config.enable_backprop)
            return gys[0],
    x = chainer.Variable(np.ones(3, 'f'))
    for twice in (False, True):
        F.sum(Looks().apply((x,))[0]).backward(enable_double_backprop=twice)
    assert seen == [False, True, False, True, True, True] and chainer.config.enable_backprop
    F.sum(F.forget(lambda v: v * v, x)).backward()
    with pytest.raises(RuntimeError, match='double'):
        F.sum(F.forget(lambda v: v * v, x)).backward(enable_double_backprop=True)
