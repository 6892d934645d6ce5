# SPDX-License-Identifier: MIT
"""Arrays that NumPy and the library share: the rules of memory, one by one and at random."""
import gc
import random
import struct
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import chainer
import chainer.functions as F
from chainer import _core


def test_array_that_came_in_goes_out():
    a, g = np.arange(6, dtype='f').reshape(2, 3), np.ones((2, 3), 'f')
    x = chainer.Variable(a, grad=g)
    assert x.array is a and x.grad is g
    t = np.arange(24, dtype='f').reshape(2, 3, 4).transpose(2, 0, 1)[::-1]
    assert chainer.Variable(t).array is t
    assert np.array_equal(F.absolute(chainer.Variable(t)).array, abs(t))


def test_result_is_one_ndarray_while_it_is_held():
    y = chainer.Variable(np.ones(3, 'f')) * 2
    v = y.array
    assert y.array is v


def test_write_is_seen_by_the_next_call_and_by_no_earlier_one():
    a = np.arange(4096, dtype='f')
    x = chainer.Variable(a)
    y = x + 1
    a[0] = 7
    assert y.array[0] == 1 and (x + 1).array[0] == 8
    v = y.array
    z = y * 2 + 1
    v[1] = -5
    assert z.array[1] == 5 and (y * 2 + 1).array[1] == -9


def test_look_ends():
    y = chainer.Variable(np.ones(4096, 'f')) * 2
    v = y.array
    assert _core.is_shared(y)
    view = v[1:]
    del v
    assert _core.is_shared(y)
    del view
    gc.collect()
    assert not _core.is_shared(y) and _core.exposed() == 0


def test_two_looks_at_one_memory():
    y = chainer.Variable(np.arange(4096, dtype='f')) * 2
    z = F.reshape(y, (2, 2048))
    v, w = y.array, z.array
    v[0] = 9
    assert w[0, 0] == 9
    del v
    assert _core.is_shared(z)
    del w
    gc.collect()
    assert not _core.is_shared(y)


def test_ndarray_outlives_its_variable():
    v = (chainer.Variable(np.arange(3, dtype='f')) * 2).array
    gc.collect()
    assert list(v) == [0, 2, 4]


def test_memory_of_the_user_is_given_back():
    a = np.ones(3, 'f')
    r = weakref.ref(a)
    x = chainer.Variable(a)
    y = x * 2
    del a, x, y
    gc.collect()
    assert r() is None


@pytest.mark.parametrize('dtype', ['?', 'i1', 'u1', 'i2', 'i4', 'i8', 'e', 'f', 'd'])
def test_dtypes(dtype):
    a = np.ones(2, dtype)
    assert chainer.Variable(a).array is a
    assert F.identity(a).dtype == a.dtype


def test_arrays_without_counterpart():
    assert chainer.Variable(np.ones(2, 'u4')).dtype == np.int64
    assert np.array_equal(F.identity(np.ones(2, '>f4')).array, [1, 1])
    with pytest.raises(TypeError):
        chainer.Variable(np.ones(2, 'c8'))
    with pytest.raises(TypeError):
        chainer.Variable(np.array([None, 1]))
    read_only = np.broadcast_to(np.float32(3), (2, 2))
    assert F.sum(chainer.Variable(read_only)).array == 12


def test_filter_that_was_written_to():
    with chainer.no_backprop_mode():
        x = chainer.Variable(np.random.rand(4, 16, 14, 14).astype('f'))
        W = np.random.rand(16, 16, 3, 3).astype('f')
        Wv = chainer.Variable(W)
        for _ in range(3):
            F.convolution_2d(x, Wv)
        W[...] = 0
        assert abs(F.convolution_2d(x, Wv).array).max() == 0


def test_gradient_of_the_user_is_not_written_to():
    x = chainer.Variable(np.random.rand(5, 3).astype('f'))
    W = chainer.Variable(np.random.rand(4, 3).astype('f'))
    g = np.zeros((4, 3), 'f')
    W.grad = g
    for _ in range(2):
        F.sum(F.linear(x, W)).backward()
    assert abs(g).max() == 0 and abs(W.grad).max() > 0


def test_random_program():
    """Looks, writes, views, operations and deletions in random order against NumPy."""
    for seed in range(30):
        rng = random.Random(seed)
        live = []  # (Variable, expected values, the same memory's number)

        def fresh():
            a = np.random.RandomState(rng.randrange(1 << 30)).rand(8, 160).astype('f')
            live.append([chainer.Variable(a), a.copy(), a, object()])
        fresh()
        looks = []
        for _ in range(120):
            x, want, held, memory = rng.choice(live)
            step = rng.randrange(7)
            if step == 0 or len(live) < 2:
                fresh()
            elif step == 1:
                live.append([x * 2 + 1, want * np.float32(2) + 1, None, object()])
            elif step == 2:
                y, other = rng.choice(live)[:2]
                if y.shape == x.shape:
                    live.append([x + y, want + other, None, object()])
            elif step == 3:
                looks.append(x.array)
                assert np.allclose(looks[-1], want)
            elif step == 4:
                i, v = rng.randrange(8), rng.random()
                x.array[i] = v
                for other in live:  # all on this memory
                    if other[3] is memory:
                        other[1][i] = v
            elif step == 5 and looks:
                looks.pop(rng.randrange(len(looks)))
            elif len(live) > 6:
                live.pop(rng.randrange(len(live)))
            assert np.allclose(x.array, want)
        for x, want, _, _ in live:
            assert np.allclose(x.array, want)
        del live[:], looks[:], x, want, held, memory
    gc.collect()
    assert _core.exposed() == 0


def test_graphs_leave_nothing():
    x = chainer.Variable(np.ones(6, 'f'))

    class Twice(chainer.FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((0,))
            return inputs[0] * 2,

        def backward(self, indexes, gys):
            x, = self.get_retained_inputs()
            return gys[0] * 2 + 0 * x,

    def once():
        y, = Twice().apply((F.relu(x + 1),))
        x.cleargrad()
        F.sum(y * y).backward()
    for _ in range(100):
        once()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(3000):
        once()
    gc.collect()
    assert sys.getallocatedblocks() - before < 50


def test_threads():
    x = chainer.Variable(np.random.rand(64, 1024).astype('f'))
    expected = F.sum(F.relu(x * 2)).array
    failures = []

    def work():
        for _ in range(50):
            if abs(F.sum(F.relu(x * 2)).array - expected) > 1e-2 * abs(expected):
                failures.append(1)
    threads = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not failures


def test_denormal_numbers_of_numpy_stay():
    F.exp(np.ones(3, 'f')).array
    assert np.float64(5e-324) * np.float64(1) != 0


def test_thread_local_memory_is_small():
    # The module's lies where libraries that are loaded late share little room: a large one would fail to load.
    with open(_core.__file__, 'rb') as f:
        head = f.read(64)
        if head[:6] != b'\x7fELF\x02\x01':
            pytest.skip('no ELF file of 64 bits')
        offset, = struct.unpack_from('<Q', head, 32)
        size, count = struct.unpack_from('<HH', head, 54)
        f.seek(offset)
        entries = [struct.unpack_from('<IIQQQQQQ', f.read(size)) for _ in range(count)]
        f.seek(0)
        module = f.read()
    assert sum(e[6] for e in entries if e[0] == 7) <= 480  # 88 of them in builds with the emulated device
    # The variables of libstdc++ that std::call_once needs are out of reach if PyTorch was imported before.
    assert b'once_call' not in module


def test_modules_that_import_leaves_until_they_are_asked_for():
    code = ('import sys, chainer; late = [m for m in ("optimizers", "datasets", "training") if "chainer." + m in '
            'sys.modules]; assert not late, late; assert chainer.optimizers.SGD and chainer.datasets.TupleDataset and '
            'chainer.training.Trainer and chainer.print_runtime_info; assert set(dir(chainer)) >= {"serializers", '
            '"iterators", "Variable"}')
    subprocess.run([sys.executable, '-c', code], check=True)
