# SPDX-License-Identifier: MIT
"""Kernels written as text, against NumPy. The emulated device compiles them by the command in the environment."""
import threading

import numpy as np
import pytest

import chainer
from chainer.backends import cuda

xp = cuda.cupy
rng = np.random.RandomState(0)
pytestmark = pytest.mark.skipif('emulated' not in xp.zeros(1)._device_name, reason='the device has no compiler')


def dev(a):
    return cuda.to_gpu(np.asarray(a))


class MulAdd(chainer.FunctionNode):
    """The function of the manual's chapter about kernels."""

    def forward_cpu(self, inputs):
        self.retain_inputs((0, 1))
        x, y, z = inputs
        return x * y + z,

    def forward_gpu(self, inputs):
        self.retain_inputs((0, 1))
        x, y, z = inputs
        w = cuda.elementwise('T x, T y, T z', 'T w', 'w = x * y + z', 'muladd_fwd')(x, y, z)
        return w,

    def backward(self, indexes, grad_outputs):
        x, y = self.get_retained_inputs()
        gw, = grad_outputs
        return MulAddGrad().apply((x, y, gw))


class MulAddGrad(chainer.FunctionNode):
    def forward_cpu(self, inputs):
        self.retain_inputs((0, 1, 2))
        x, y, gw = inputs
        return y * gw, x * gw, gw.copy()

    def forward_gpu(self, inputs):
        self.retain_inputs((0, 1, 2))
        x, y, gw = inputs
        gx, gy = cuda.elementwise('T x, T y, T gw', 'T gx, T gy', '''
            gx = y * gw;
            gy = x * gw;
        ''', 'muladd_bwd')(x, y, gw)
        return gx, gy, gw.copy()

    def backward(self, indexes, grads):
        x, y, gw = self.get_retained_inputs()
        ggx, ggy, ggz = grads
        return ggy * gw, ggx * gw, ggx * y + ggy * x + ggz


@pytest.mark.parametrize('dtype', [np.float32, np.float64])
def test_function_of_the_manual(dtype):
    x, y, z = [rng.randn(3, 4).astype(dtype) for _ in range(3)]

    def run(send):
        v = [chainer.Variable(send(a)) for a in (x, y, z)]
        w, = MulAdd().apply(v)
        g = chainer.grad([chainer.functions.sum(w * w)], v, enable_double_backprop=True)
        gg = chainer.grad([chainer.functions.sum(g[0] * g[1] + g[2] * g[2])], v)
        return [cuda.to_cpu(a.array) for a in [w] + g + gg]
    for device, host in zip(run(dev), run(np.asarray)):
        assert device.dtype == dtype
        np.testing.assert_allclose(device, host, rtol=1e-5)


def test_elementwise():
    a, b = rng.randn(3, 4).astype('f'), rng.randint(0, 9, (4,))
    kernel = cuda.elementwise('T x, S k, float64 n', 'T y, S z', 'y = x * n + k; z = i', 'mixed')
    assert kernel is cuda.elementwise('T x, S k, float64 n', 'T y, S z', 'y = x * n + k; z = i', 'mixed')
    y, z = kernel(dev(a).T.copy().T, dev(b), 0.5)
    np.testing.assert_allclose(y.get(), (a * 0.5 + b).astype('f'), rtol=1e-6)
    assert z.get().tolist() == np.arange(12).reshape(3, 4).tolist() and z.dtype == b.dtype
    out = xp.zeros((4, 6), 'f')
    part = out[:, ::2].T
    assert kernel(dev(a), dev(b), 2, part, xp.zeros((3, 4), b.dtype))[0] is part
    np.testing.assert_allclose(out.get()[:, ::2].T, a * 2 + b, rtol=1e-6)
    # Raw arrays, sizes, classes and options.
    table = dev(rng.randn(5).astype('f'))
    taken = xp.ElementwiseKernel('raw T table, int64 k', 'T y', 'y = table[k] * FACTOR', 'taken', options=('-DFACTOR=2',))
    np.testing.assert_allclose(taken(table, dev([4, 0, 4])).get(), table.get()[[4, 0, 4]] * 2)
    sums = xp.zeros(3, 'f')
    added = xp.ElementwiseKernel('raw T x', 'raw T y', 'atomicAdd(&y[i % 3], x[i % 5])', 'added')
    added(table, sums, size=30)
    np.testing.assert_allclose(sums.get(), np.full(3, 2 * table.get().sum()), rtol=1e-5)
    assert isinstance(xp.ElementwiseKernel('T x', 'T y', 'y = x', 'one', return_tuple=True)(table), tuple)
    assert xp.ElementwiseKernel('T x', 'T y', 'y = x', 'none', no_return=True)(table) is None
    assert xp.elementwise('T x', 'T y', 'y = x', 'one') is cuda.elementwise('T x', 'T y', 'y = x', 'one')
    assert taken.name == 'taken' and 'FACTOR' in taken.operation


@pytest.mark.parametrize('dtype', ['?', 'b', 'h', 'i', 'l', 'B', 'e', 'f', 'd'])
def test_dtypes(dtype):
    a = (rng.randn(3, 4) * 5).astype(dtype)
    y = cuda.elementwise('T x', 'T y, bool z', 'y = x + T(1); z = x > T(0)', 'plus')(dev(a))
    assert y[0].get().tolist() == (a + np.array(1, dtype)).astype(dtype).tolist()
    assert y[1].get().tolist() == (a > 0).tolist()


def test_reduce():
    a = rng.randn(4, 30, 5)
    norm = cuda.reduce('T x', 'T y', 'x * x', 'a + b', 'y = sqrt(a)', '0', 'norm_of')
    for axis in (None, 0, -1, (0, 2)):
        for keepdims in (False, True):
            y = norm(dev(a), axis=axis, keepdims=keepdims)
            np.testing.assert_allclose(y.get(), np.sqrt((a * a).sum(axis, keepdims=keepdims)))
    out = xp.zeros(4)
    assert norm(dev(a), out, axis=(1, 2)) is out and norm(dev(a), out=out, axis=(1, 2)) is out
    loss = cuda.reduce('S t, raw T y, int32 n, S ignored, raw T factor', 'T out',
                       't == ignored ? T(0) : y[_j * n + t]', 'a + b', 'out = a * -factor[0]', '0', 'loss_of')
    t, y = np.array([2, -1, 0], 'i'), rng.randn(3, 4).astype('f')
    got = loss(dev(t), dev(y).reduced_view(), 4, -1, dev(np.float32(0.5)))
    np.testing.assert_allclose(got.get(), -(y[0, 2] + y[2, 0]) / 2, rtol=1e-6)
    largest = xp.ReductionKernel('T x', 'T y', 'x', 'max(a, b)', 'y = a', None, 'largest')
    assert largest(dev(a)).get() == a.max()
    with pytest.raises(ValueError, match='no elements'):
        largest(xp.zeros((0, 3)), axis=0)


def test_raw():
    code = '''
    extern "C" __global__ void scaled(const float* x, float* y, int n, float by, long long add) {
      int k = blockIdx.x * blockDim.x + threadIdx.x;
      if (k < n) y[k] = x[k] * by + add;
    }'''
    scaled = cuda.raw(code, 'scaled')
    assert scaled is cuda.raw(code, 'scaled') and scaled.code == code
    x, y = dev(np.arange(10, dtype='f')), xp.zeros(10, 'f')
    scaled((2,), (8,), (x, y, np.int32(10), np.float32(3), 1))
    assert y.get().tolist() == (np.arange(10) * 3 + 1).tolist()
    kernel = xp.cuda.compile_with_cache(code).get_function('scaled')
    kernel((2,), (8,), (x, y, np.int32(10), np.float32(4), 1))
    assert y.get().tolist() == (np.arange(10) * 4 + 1).tolist()
    with pytest.raises(RuntimeError, match='parameters have 32 bytes'):
        scaled((2,), (8,), (x, y, np.int32(10), np.float32(3)))
    with pytest.raises(ValueError, match='grid must have'):
        scaled((0,), (8,), (x, y, np.int32(10), np.float32(3), 1))
    with pytest.raises(TypeError, match='grid must be a tuple'):
        scaled('one', (8,), ())


def test_errors():
    f = cuda.elementwise('T x, T y', 'T z', 'z = x + missing', 'wrong_text')
    a = xp.ones((2, 3), 'f')
    with pytest.raises(RuntimeError, match='(?s)missing.*The source:.*z = x . missing'):
        f(a, a)
    with pytest.raises(TypeError, match='y must be an array of T, which is float32 as in x, not of float64'):
        f(a, xp.ones((2, 3)))
    with pytest.raises(TypeError, match="kernel 'wrong_text': argument 1 must be an array on a device or a number, not"):
        f(a, np.ones((2, 3), 'f'))
    with pytest.raises(ValueError, match='expected 2 arguments, or 3 with the outputs, not 1'):
        f(a)
    with pytest.raises(ValueError, match='cannot be broadcast'):
        f(a, xp.ones(2, 'f'))
    with pytest.raises(ValueError, match='expected a type and a name'):
        cuda.elementwise('x', 'T y', 'y = x', 'name')
    assert xp.fuse(np.add) is np.add


def test_threads():
    results = {}

    def work(k):
        f = cuda.elementwise('T x', 'T y', 'y = x * x + 2', 'of_threads')
        results[k] = [f(dev(np.full(5, n + k, 'd'))).get()[0] for n in range(10)]
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == {k: [(n + k) ** 2 + 2. for n in range(10)] for k in range(4)}
