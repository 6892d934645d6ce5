# SPDX-License-Identifier: MIT
"""Arrays on a device against NumPy."""
import copy
import pickle

import numpy as np
import pytest

import chainer
from chainer.backends import cuda

xp = cuda.cupy
rng = np.random.RandomState(0)
A, B = rng.randn(3, 4).astype('f'), rng.rand(3, 4).astype('f') + 0.5
K, V = rng.randint(-5, 6, (3, 4)), rng.rand(4).astype('f')
M = rng.rand(3, 4) > 0.5
S = rng.randn(4, 4) + 4 * np.eye(4)

# The functions of the array API standard 2024.12, except those on complex numbers.
STANDARD = '''
arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril triu zeros
zeros_like astype can_cast finfo iinfo isdtype result_type abs acos acosh add asin asinh atan atan2 atanh bitwise_and
bitwise_left_shift bitwise_invert bitwise_or bitwise_right_shift bitwise_xor ceil clip copysign cos cosh divide equal
exp expm1 floor floor_divide greater greater_equal hypot isfinite isinf isnan less less_equal log log1p log2 log10
logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply negative nextafter not_equal positive
pow reciprocal remainder round sign signbit sin sinh square sqrt subtract tan tanh trunc take take_along_axis matmul
matrix_transpose tensordot vecdot broadcast_arrays broadcast_to concat expand_dims flip moveaxis permute_dims repeat
reshape roll squeeze stack tile unstack argmax argmin count_nonzero nonzero searchsorted where unique_all unique_counts
unique_inverse unique_values argsort sort cumulative_prod cumulative_sum max mean min prod std sum var all any diff
e inf nan newaxis pi bool int8 int16 int32 int64 uint8 float32 float64 __array_namespace_info__'''.split()

# Expressions of a module and arrays, for arrays on the host and on the device.
EXPRESSIONS = [
    'a + b', 'a - 2', '2 - a', 'a * k', 'a / b', 'k // 2', 'k % 3', 'b ** 2', '2 ** b', '-a', 'abs(a)', '+a', '~m',
    '~k', 'a > b', 'a <= 0', 'k == 2', 'k != k', 'm & (a > 0)', 'm | (a > 0)', 'm ^ (a > 0)', 'k & 3', 'k | 4',
    'k ^ k', '1 | k', 'k << 1', 'a @ b.T', 's @ v', 'divmod(k, 3)', 'xp.round(a, 1)', 'a[1]', 'a[1, 2]', 'a[:, ::2]',
    'a[..., None]', 'a[[0, 2]]', 'a[m]', 'a[a > 0]', 'a[[0, 1], [2, 3]]', 'k[-1, -1]', 'a.sum()', 'a.sum(axis=0)',
    'a.sum(axis=(0, 1), keepdims=True)', 'k.sum()', 'm.sum()', 'a.mean(1)', 'a.var(0)', 'a.std(ddof=1)', 'a.max()',
    'a.min(axis=1)', 'k.prod(axis=0)', 'm.all()', 'm.any(axis=0)', 'a.argmax()', 'a.argmin(axis=1)',
    'a.cumsum(axis=1)', 'b.cumprod()', 'a.clip(-1, 1)', 'a.dot(v)', 'a.T', 'a.reshape(2, -1)', 'a.reshape((4, 3))',
    'a.transpose(1, 0)', 'a.ravel()', 'a.flatten()', 'a.swapaxes(0, 1)', 'a[None].squeeze()', 'a.astype("d")',
    'a.astype(int)', 'a.repeat(2, axis=0)', 'a.take([0, 2], axis=1)', 'a.nonzero()', 'a.argsort()', 'a.diagonal()',
    's.trace()', 'xp.ptp(a)', 'a.round(2)', 'xp.exp(a)', 'xp.log(b)', 'xp.sqrt(b)', 'xp.tanh(a)', 'xp.arcsin(b - 1)',
    'xp.arctan2(a, b)', 'xp.isnan(a)', 'xp.maximum(a, 0)', 'xp.minimum(0, a)', 'xp.where(m, a, b)',
    'xp.where(m, a, 0)', 'xp.where(m)', 'xp.clip(a, None, 0)', 'xp.sign(a)', 'xp.square(a)', 'xp.floor(a)',
    'xp.rint(a)', 'xp.logaddexp(a, b)', 'xp.hypot(a, b)', 'xp.arcsinh(a)', 'xp.arccosh(b + 1)', 'xp.arctanh(b / 2)',
    'xp.copysign(a, k)', 'xp.isclose(a, a + 1e-9)', 'xp.power(b, k)', 'xp.concatenate([a, b])',
    'xp.concatenate([a, b], axis=1)', 'xp.concatenate([a, k], axis=None)', 'xp.stack([a, b], 1)', 'xp.vstack([a, v])',
    'xp.hstack([a, b])', 'xp.dstack([a, b])', 'xp.split(a, 2, axis=1)', 'xp.array_split(a, 2)',
    'xp.split(a, [1, 3], 1)', 'xp.expand_dims(a, (0, 2))', 'xp.moveaxis(a, 0, 1)', 'xp.rollaxis(a, 1)',
    'xp.roll(a, 1)', 'xp.roll(a, (1, -2), (0, 1))', 'xp.flip(a, 1)', 'xp.flip(a)', 'xp.rot90(a)',
    'xp.tile(a, (2, 1))', 'xp.repeat(v, 3)', 'xp.pad(a, ((1, 0), (0, 2)), "constant")', 'xp.pad(a, 1, "edge")',
    'xp.broadcast_to(v, (3, 4))', 'xp.diagonal(a, 1)', 'xp.atleast_2d(v)', 'xp.dot(a, v)',
    'xp.tensordot(a, b, ((0, 1), (0, 1)))', 'xp.tensordot(s, a, ((1,), (1,)))', 'xp.outer(v, v)', 'xp.inner(v, v)',
    'xp.vdot(a, b)', 'xp.einsum("ij,kj->ik", a, b)', 'xp.linalg.inv(s)', 'xp.linalg.det(s)',
    'xp.linalg.svd(s, compute_uv=False)', 'xp.linalg.svd(xp.stack([s, s + v]), False, False)',
    'xp.linalg.svd(k, False)[1]', 'xp.linalg.norm(a)',
    'xp.linalg.solve(s, v)', 'xp.trace(s)', 'xp.kron(v, v)', 'xp.sort(a, axis=0)', 'xp.argsort(a)', 'xp.unique(k)',
    'xp.unique(k, return_counts=True)', 'xp.take(a, 1, axis=0)', 'xp.take_along_axis(a, k % 4, 1)',
    'xp.searchsorted(xp.arange(9), k)', 'xp.bincount(k.ravel() + 5)', 'xp.argwhere(m)',
    'xp.average(a, axis=1, weights=v)', 'xp.median(a)', 'xp.percentile(a, 30)', 'xp.diff(a)', 'xp.nansum(a)',
    'xp.zeros((2, 3))', 'xp.ones(3, "i")', 'xp.full((2,), 3)', 'xp.full_like(a, 7)', 'xp.zeros_like(k)',
    'xp.arange(2, 9, 3)', 'xp.linspace(0, 1, 5)', 'xp.eye(3, k=1)', 'xp.identity(2)', 'xp.diag(v)', 'xp.tri(3)',
    'xp.tril(s)', 'xp.triu(s, 1)', 'xp.meshgrid(v, v)', 'xp.array([1, 2.5])', 'xp.array([[1, 2], [3, 4]], "b")',
    'xp.asarray(3)', 'np.exp(a)', 'np.add(a, b)', 'np.float32(2) * a', 'np.sqrt(b.sum())', 'np.mean(a)',
    'np.sum(a, axis=1)',
]


def host(y):
    if isinstance(y, (list, tuple)):
        return [host(v) for v in y]
    return y.get() if isinstance(y, cuda.ndarray) else y


def values(module, convert):
    given = {name: convert(value) for name, value in dict(a=A, b=B, k=K, v=V, m=M, s=S).items()}
    return dict(given, xp=module, np=np)


@pytest.mark.parametrize('expression', EXPRESSIONS)
def test_expressions(expression):
    expected = eval(expression, values(np, lambda a: a))
    got = eval(expression, values(xp, cuda.to_gpu))
    parts = zip(expected, got) if isinstance(expected, (list, tuple)) else [(expected, got)]
    for e, g in parts:
        assert isinstance(g, cuda.ndarray)
        assert g.shape == np.shape(e)
        assert g.dtype == np.asarray(e).dtype or g.dtype.kind == 'i' == np.asarray(e).dtype.kind
        np.testing.assert_allclose(host(g), e, rtol=2e-6, atol=1e-6)


def test_the_standard_is_there():
    assert not [name for name in STANDARD if not hasattr(xp, name)]
    a = cuda.to_gpu(A)
    assert a.__array_namespace__() is xp and a.to_device(a.device).device == a.device
    info = xp.__array_namespace_info__()
    assert info.dtypes(kind='real floating') == {'float32': np.dtype('f'), 'float64': np.dtype('d')}
    assert info.default_device() in info.devices()
    assert xp.unique_counts(xp.asarray([3, 1, 3])).counts.tolist() == [1, 2]
    assert xp.cumulative_sum(xp.asarray([1, 2]), include_initial=True).tolist() == [0, 1, 3]
    assert xp.argmax(a, axis=1, keepdims=True).shape == (3, 1)
    assert len(xp.unstack(a)) == 3 and xp.isdtype(a.dtype, 'real floating')


def test_writes():
    a, b = A.copy(), cuda.to_gpu(A)
    for x, other in ((a, B), (b, cuda.to_gpu(B))):
        x[0] = 5
        x[:, 1] = other[:, 1]
        x[x < 0] = 0
        x[1:, ::2] += 1
        view = x[2]
        view *= 2
        x += other
        x -= 1
        x /= 2
        x //= 0.25
        x **= 2
        x[[0, 1], [0, 1]] = [7, 8]
    np.testing.assert_allclose(b.get(), a)
    b.fill(3)
    assert b.tolist() == [[3.] * 4] * 3
    b.set(A)
    assert (b.get() == A).all()
    xp.copyto(b, 1)
    assert b.sum() == 12


def test_numbers():
    a = xp.asarray([[2.5]])
    assert float(a) == 2.5 and int(a) == 2 and bool(a) and a.item() == 2.5 and '%.1f' % a == '2.5'
    assert xp.asarray(K).item(1, 2) == K[1, 2] and list(range(5))[xp.asarray(2)] == 2
    assert '{:.2f}'.format(a.sum()) == '2.50' and repr(a) == 'array([[2.5]])' and str(a) == '[[2.5]]'
    with pytest.raises(ValueError, match='ambiguous'):
        bool(xp.ones(2))
    with pytest.raises(TypeError, match='integer arrays without axes'):
        [1, 2][xp.ones(1, 'i')]


def test_attributes():
    a = xp.zeros((3, 4), 'f')
    assert (a.shape, a.ndim, a.size, a.itemsize, a.nbytes, a.strides, len(a)) == ((3, 4), 2, 12, 4, 48, (16, 4), 3)
    assert a.flags.c_contiguous and not a.flags['F_CONTIGUOUS'] and a.T.flags.f_contiguous
    assert a.device == cuda.Device(0) and xp.ascontiguousarray(a.T).strides == (12, 4)
    assert xp.asfortranarray(a).flags.f_contiguous and cuda.ndarray((2, 3), 'f').shape == (2, 3)
    assert a.copy() is not a and a[...] is not a and xp.asarray(a) is a
    assert not xp.broadcast_to(a, (2, 3, 4)).flags.writeable


def test_no_implicit_conversion():
    a = cuda.to_gpu(A)
    with pytest.raises(TypeError, match='implicitly'):
        np.asarray(a)
    for mix in (lambda: a + A, lambda: A + a, lambda: np.add(A, a), lambda: xp.exp(A), lambda: xp.add(a, A)):
        with pytest.raises(TypeError):
            mix()
    assert not (a == None).__class__ is cuda.ndarray  # NOQA


def test_copies_and_pickles():
    a = cuda.to_gpu(A)
    for b in (copy.copy(a), copy.deepcopy(a), pickle.loads(pickle.dumps(a))):
        assert isinstance(b, cuda.ndarray) and (b.get() == A).all()
        b[...] = 0
    assert (a.get() == A).all()
    assert cuda.copy(a) is not a and (cuda.copy(a, out=xp.empty_like(a)).get() == A).all()


class Foreign(object):
    """An array of another library on the memory of an array, as far as the protocols show it."""

    def __init__(self, a, names):
        for name in names:
            setattr(self, name, getattr(a, name))
        self.device = a.device


@pytest.mark.parametrize('names', [('__cuda_array_interface__',), ('__dlpack__', '__dlpack_device__')])
def test_exchange_without_copies(names):
    for a in (cuda.to_gpu(A), cuda.to_gpu(A).T, cuda.to_gpu(K)[:, 1:]):
        b = xp.asarray(Foreign(a, names))
        assert b is not a and b.dtype == a.dtype and b.strides == a.strides and (b.get() == a.get()).all()
        b[0] = 7
        assert (a.get()[0] == 7).all()
        a += 1
        assert (b.get()[0] == 8).all()
        del a
        assert (b.get()[0] == 8).all()
        assert (cuda.to_gpu(Foreign(b, names)).get() == b.get()).all()


def ours(a):
    return xp.cuda.Stream().ptr


# What a producer is asked for, and what a consumer is told.
def test_streams_of_other_libraries():
    a = cuda.to_gpu(A) + 1
    described = a.__cuda_array_interface__
    assert described['version'] == 3 and described['stream'] == ours(a) > 0
    asked = []

    class Producer(object):
        __dlpack_device__ = a.__dlpack_device__

        def __dlpack__(self, stream=None, max_version=None):
            asked.append((stream, max_version))
            return a.__dlpack__(stream=stream, max_version=max_version)

    class Older(Producer):
        def __dlpack__(self, stream):
            asked.append(stream)
            return a.__dlpack__(stream=stream)

    class Oldest(Producer):
        waited = 0

        @property
        def device(self):
            return self

        def synchronize(self):
            self.waited += 1

        def __dlpack__(self):
            return a.__dlpack__()

    last = Oldest()
    for producer in (Producer(), Older(), last):
        assert (xp.from_dlpack(producer).get() == A + 1).all()
    assert asked == [(ours(a), (1, 0)), ours(a)] and last.waited == 1
    for stream in (None, 1, 2, -1, ours(a)):
        assert (xp.from_dlpack((a * 2).__dlpack__(stream=stream)).get() == 2 * A + 2).all()
    for wrong in (0, -2):
        with pytest.raises(ValueError, match='stream'):
            a.__dlpack__(stream=wrong)
    with pytest.raises(TypeError):
        a.__dlpack__(stream='1')


def test_streams_of_array_interfaces():
    a = cuda.to_gpu(A)
    there = Foreign(a, ('__cuda_array_interface__',))
    waited = []
    there.device = type('D', (), {'synchronize': lambda self: waited.append(1), '__int__': lambda self: 0})()
    for stream, version, waits in ((1, 3, 0), (2, 3, 0), (ours(a), 3, 0), (None, 3, 0), (None, 2, 1)):
        there.__cuda_array_interface__ = dict(a.__cuda_array_interface__, stream=stream, version=version)
        del waited[:]
        assert (xp.asarray(there).get() == A).all() and len(waited) == waits
    there.__cuda_array_interface__ = dict(a.__cuda_array_interface__, stream=0)
    with pytest.raises(ValueError, match='not 0'):
        xp.asarray(there)


def test_copies_of_other_arrays_are_as_asked():
    a = cuda.to_gpu(A)
    there = Foreign(a, ('__dlpack__', '__dlpack_device__'))
    copied, shared = xp.from_dlpack(there, copy=True), xp.from_dlpack(there, copy=False)
    a[...] = 0
    assert (copied.get() == A).all() and (shared.get() == 0).all()
    own = xp.from_dlpack(copied, copy=True)
    own[...] = 1
    assert (copied.get() == A).all() and xp.from_dlpack(copied) is copied
    with pytest.raises(BufferError, match='from_dlpack: an array on the host has to be copied to device 0'):
        xp.from_dlpack(A, copy=False)


def test_dlpack():
    a = cuda.to_gpu(A)
    assert a.__dlpack_device__() == (2, 0)
    assert (xp.from_dlpack(a.__dlpack__(max_version=(1, 0))).get() == A).all()
    a.__dlpack__()  # a capsule that no library takes
    copied = xp.from_dlpack(a.__dlpack__(copy=True))
    copied[...] = 0
    assert (a.get() == A).all()
    with pytest.raises(BufferError):
        a.__dlpack__(dl_device=(2, 5))
    with pytest.raises(ValueError, match='unused capsule'):
        capsule = a.__dlpack__()
        xp.from_dlpack(capsule)
        xp.from_dlpack(capsule)
    assert (xp.from_dlpack(A).get() == A).all()


def test_to_gpu_and_to_cpu():
    a = cuda.to_gpu(A)
    assert cuda.to_gpu(a) is a and cuda.to_gpu(None) is None and isinstance(cuda.to_cpu(a), np.ndarray)
    b, (c, none) = cuda.to_gpu([A, (A, None)])
    assert b.device == c.device == a.device and none is None
    assert isinstance(cuda.to_cpu((a, [a]))[1][0], np.ndarray)
    for wrong in (3, 'text', {}):
        with pytest.raises(TypeError):
            cuda.to_gpu(wrong)
    assert cuda.get_array_module(a) is xp and cuda.get_array_module(A) is np
    assert cuda.get_array_module(A, chainer.Variable(a)) is xp
    assert cuda.get_device_from_array(A, a) == a.device and cuda.get_device_from_array(A) is cuda.DummyDevice
    assert cuda.get_device_from_id(None) is cuda.DummyDevice and cuda.get_device_from_id(0) == cuda.Device(0)
    assert cuda.to_gpu(A, cuda.DummyDevice).device == cuda.Device() == cuda.to_gpu(A, a).device
    with pytest.raises(RuntimeError, match='not the number of a device'):
        cuda.to_gpu(A, -1)
    assert cuda.memory_pool is xp.get_default_memory_pool() and cuda.pinned_memory_pool.free_all_blocks() is None
    chainer.backend.copyto(a, B)
    assert (chainer.backend.to_numpy(chainer.Variable(a)) == B).all()


@pytest.mark.skipif(xp.cuda.runtime.getDeviceCount() < 2, reason='there is one device')
def test_two_devices():
    a = cuda.to_gpu(A, device=1)
    assert a.device == cuda.Device(1) and (cuda.copy(a, out_device=0).get() == A).all()
    with cuda.get_device_from_id(1):
        assert xp.zeros(3).device.id == 1 and cuda.to_gpu(A).device.id == 1
        other = cuda.to_gpu(A, device=0)
        assert other.copy().device.id == xp.array(other).device.id == 1 and (other.copy().get() == A).all()
        assert cuda.copy(other).device.id == copy.deepcopy(other).device.id == xp.tril(other).device.id == 0
        with cuda.Device(0):
            assert cuda.Device().id == 0
        assert cuda.Device().id == 1
    assert xp.zeros(3).device.id == 0 and xp.zeros_like(a).device.id == 1
    with pytest.raises(RuntimeError, match='different devices'):
        a + cuda.to_gpu(A, device=0)
    assert cuda.to_gpu(a, device=0).device.id == 0
    y = chainer.functions.copy(chainer.Variable(a), 0)
    y.grad = y.array
    y.backward()
    assert y.array.device.id == 0


def test_random_numbers_are_those_of_numpy():
    np.random.seed(3)
    expected = [np.random.rand(2, 3), np.random.normal(size=4), np.random.randint(9, size=5), np.random.permutation(4)]
    xp.random.seed(3)
    got = [xp.random.rand(2, 3), xp.random.normal(size=4), xp.random.randint(9, size=5), xp.random.permutation(4)]
    assert all([(g.get() == e).all() for g, e in zip(got, expected)])
    assert xp.random.uniform(-1, 1, (2,), dtype='f').dtype == np.float32
    for call in (lambda r, *dtype: r.normal(0, 1, (2, 3), *dtype), lambda r, *dtype: r.uniform(0, 1, 4, *dtype),
                 lambda r, *dtype: r.standard_normal(3, *dtype), lambda r, *dtype: r.random_sample((2,), *dtype),
                 lambda r, *dtype: r.sample((2,), *dtype), lambda r, *dtype: r.ranf((2,), *dtype)):
        np.random.seed(4)
        expected = call(np.random)
        xp.random.seed(4)
        got = call(xp.random, 'f')
        assert got.dtype == np.float32 and (got.get() == expected.astype('f')).all()
    assert xp.random.binomial(1, .5, 3, 'i').dtype == np.int32
    xp.random.set_random_state(xp.random.RandomState(5))
    assert np.random.rand() == np.random.RandomState(5).rand()
    assert xp.random.RandomState(0).rand(2).tolist() == np.random.RandomState(0).rand(2).tolist()


def test_seeds_of_the_environment(monkeypatch):
    monkeypatch.setenv('CHAINER_SEED', '7')
    xp.random.reset_states()
    assert np.random.rand() == np.random.RandomState(7).rand()


def test_streams_events_and_memory():
    with cuda.Stream():
        start, end = cuda.Event(), cuda.Event()
        start.record()
        xp.ones(1000).sum()
        end.record()
    assert xp.cuda.get_elapsed_time(start, end) >= 0 and cuda.Stream.null.done
    cuda.Device(0).synchronize()
    pool = xp.get_default_memory_pool()
    pool.free_all_blocks()
    assert pool.total_bytes() >= pool.used_bytes() >= 0
    with pytest.raises(NotImplementedError, match='give a size'):  # it removed the limit
        pool.set_limit(fraction=0.5)
    with pytest.raises(ValueError, match='negative'):
        pool.set_limit(-1)


def test_kernels_and_memos():
    with pytest.raises(RuntimeError, match='compiler'):  # kernels: text_kernels_cases.py
        cuda.elementwise('T x', 'T y', 'y = x', 'name')(xp.ones(2))
    calls = []

    @cuda.memoize(for_each_device=True)
    def f(x):
        calls.append(x)
        return x
    assert f(1) == f(1) == 1 and calls == [1]
    cuda.clear_memo()
    assert f(1) == 1 and calls == [1, 1]
