# SPDX-License-Identifier: MIT
"""Variables, functions and their hooks on a device, against the host."""
import copy
import io
import pickle

import numpy as np
import pytest

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import function_hooks
from chainer.backends import cuda

xp = cuda.cupy


def test_variables():
    x = chainer.Variable(np.arange(6, dtype='f').reshape(2, 3))
    x.grad = np.ones((2, 3), 'f')
    x.to_gpu()
    assert isinstance(x.array, cuda.ndarray) and isinstance(x.grad, cuda.ndarray) and x.xp is xp
    assert repr(x).startswith('variable([[0., 1., 2.],') and str(x).startswith('variable([[0. 1. 2.]')
    assert x.array is x.array
    assert '- device: <CUDA Device 0>' in x.debug_print()
    y = F.sum((x * 2 + x[:, :1]) ** 2 / cuda.to_gpu(np.full((2, 3), 2, 'f')))
    x.cleargrad()
    y.backward(enable_double_backprop=True)
    gx, = chainer.grad([F.sum(x.grad_var)], [x])
    assert isinstance(gx.array, cuda.ndarray)
    np.testing.assert_allclose(y.array.get(), sum([(2 * v + 3 * (v // 3)) ** 2 / 2 for v in range(6)]))
    x.to_cpu()
    assert isinstance(x.array, np.ndarray) and x.xp is np
    y = chainer.Variable(xp.ones(3))
    y.addgrad(chainer.Variable(np.ones(3), grad=np.ones(3))) if y.grad is not None else None
    y.copydata(chainer.Variable(np.full(3, 4.)))
    assert y.array.tolist() == [4, 4, 4]
    assert pickle.loads(pickle.dumps(y)).array.tolist() == copy.deepcopy(y).array.tolist() == [4, 4, 4]


def test_functions_in_python():
    class Square(chainer.FunctionNode):
        def forward_cpu(self, inputs):
            raise AssertionError('the array is on a device')

        def forward_gpu(self, inputs):
            self.retain_inputs((0,))
            assert isinstance(inputs[0], cuda.ndarray)
            return cuda.get_array_module(inputs[0]).square(inputs[0]),

        def backward(self, indexes, gys):
            x, = self.get_retained_inputs()
            return 2 * x * gys[0],

    class Old(chainer.Function):
        def forward_gpu(self, inputs):
            return inputs[0] * 3,

        def backward_gpu(self, inputs, gys):
            return gys[0] * 3,

    x = chainer.Variable(xp.asarray([1., 2.]))
    y, = Square().apply((x,))
    z = F.sum(Old()(y))
    z.backward()
    assert x.grad.tolist() == [6, 12]
    with pytest.raises(TypeError, match='incompatible array types'):
        Square().apply((x, np.ones(2)))


def test_gradient_check():
    W = chainer.Parameter(np.random.RandomState(0).randn(2, 3))
    W.to_gpu()
    x = cuda.to_gpu(np.random.RandomState(1).randn(4, 3))
    chainer.gradient_check.check_backward(lambda x: F.tanh(F.linear(x, W)), x, xp.ones((4, 2)), (W,), dtype='d')


def test_labels_out_of_range_are_an_error():
    x, t = xp.zeros((2, 3), 'f'), xp.asarray([0, 7], dtype='i')
    with pytest.raises((IndexError, ValueError)):
        float(F.softmax_cross_entropy(x, t).array)


def test_hooks_of_profilers(monkeypatch):
    model = L.Linear(300, 200)
    model.to_gpu(0)
    x = chainer.Variable(xp.ones((100, 300), 'f'))
    with function_hooks.CupyMemoryProfileHook() as hook:
        F.sum(F.tanh(model(x))).backward()
    assert [c.function for c in hook.call_history][:3] == ['LinearFunction', 'Tanh', 'Sum']
    counted = xp.get_default_memory_pool().used_bytes() > 0  # not on "@reference"
    assert hook.total_used_bytes() >= counted * 4 * 100 * 200 and hook.total_acquired_bytes() >= 0
    assert hook.summary()['LinearFunction']['occurrence'] == 2
    report = io.StringIO()
    hook.print_report(file=report)
    hook.print_report('KB', report)
    assert 'UsedBytes' in report.getvalue() and 'KB' in report.getvalue()

    class Library(object):
        def __getattr__(self, name):
            return lambda *text: found.append((name,) + text)

    found = []
    monkeypatch.setattr(xp.cuda.nvtx, '_libraries', [None])
    with pytest.raises(RuntimeError, match='NVTX'):
        function_hooks.CUDAProfileHook()
    monkeypatch.setattr(xp.cuda.nvtx, '_libraries', [Library()])
    with function_hooks.CUDAProfileHook():
        F.tanh(x)
    assert found == [('nvtxRangePushA', b'Tanh.forward'), ('nvtxRangePop',)]


def test_sparse_matrices():
    x = np.array([[0, 2, 0], [1, 0, 3]], 'f')
    for dense in (x, np.stack([x, x[::-1]])):
        on_host, there = chainer.utils.to_coo(dense), chainer.utils.to_coo(cuda.to_gpu(dense))
        assert isinstance(there.row, cuda.ndarray) and isinstance(there.data.array, cuda.ndarray)
        assert there.order == on_host.order and (there.to_dense().get() == dense).all()
        b = np.ones(dense.shape[:-2] + (3, 2), 'f')
        y = F.sparse_matmul(there, cuda.to_gpu(b))
        np.testing.assert_allclose(y.array.get(), F.sparse_matmul(on_host, b).array)
    made = chainer.utils.CooMatrix(xp.ones(2, 'f'), xp.zeros(2, 'i'), xp.ones(2, 'i'), (2, 2))
    assert made.order == 'C'


class Put(chainer.Function):
    """Writes rows to a stack, which it returns, like the thin stack of the release's example."""

    def forward(self, inputs):
        stack, at, rows = inputs
        stack[np.arange(len(rows)), at] = rows
        return stack,

    def backward(self, inputs, gys):
        _, at, rows = inputs
        g = gys[0].copy()
        grows = g[np.arange(len(rows)), at]
        g[np.arange(len(rows)), at] = 0
        return g, None, grows


class Get(chainer.Function):
    def forward(self, inputs):
        stack, at = inputs
        return stack[np.arange(len(stack)), at], stack

    def backward(self, inputs, gys):
        stack, at = inputs
        g = stack * 0 if gys[1] is None else gys[1].copy()
        if gys[0] is not None:
            g[np.arange(len(stack)), at] += gys[0]
        return g, None


def test_functions_that_write_to_their_inputs():
    found = []
    for move in (lambda a: a, cuda.to_gpu):
        x = first = chainer.Variable(move(np.arange(6, dtype='f').reshape(2, 3) / 6))
        stack = chainer.Variable(move(np.zeros((2, 4, 3), 'f')))
        for k in range(3):
            stack = Put()(stack, move(np.full(2, k, 'i')), x * x)
            y, stack = Get()(stack, move(np.full(2, k, 'i')))
            x = F.tanh(y) + x
        F.sum(x).backward()
        found.append([cuda.to_cpu(a) for a in (x.array, first.grad)])
    np.testing.assert_allclose(found[1], found[0], rtol=1e-5)
