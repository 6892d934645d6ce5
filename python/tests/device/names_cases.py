# SPDX-License-Identifier: MIT
"""Names of CuPy 5 beyond the array API standard, against NumPy."""
import importlib
import io
import pickle

import numpy as np
import pytest

from chainer.backends import cuda

xp = cuda.cupy
rng = np.random.RandomState(0)
A, V, K = rng.randn(3, 4).astype('f'), rng.rand(4), np.array([3, 0, 2, 2])
N = np.where(A > 0.8, np.nan, A)
N[1] = np.nan
# Expressions of a module and of copies of these arrays, for arrays on the host and on the device.
EXPRESSIONS = [
    'xp.column_stack([v, k])', 'xp.column_stack((a.T, v))', 'xp.unravel_index(k, (2, 2))',
    'xp.unravel_index(k, (2, 2), order="F")', 'xp.ix_([0, 2], [1, 3])', 'a[xp.ix_([0, 2], [1, 3])]', 'xp.r_[v, 0, k]',
    'xp.r_[1:4, v]', 'xp.c_[v, k]', 'xp.mgrid[:2, 1:4]', 'xp.digitize(v, xp.linspace(0, 1, 4))', 'xp.corrcoef(a)',
    'xp.cov(a)', 'xp.sinc(v)', 'xp.modf(a)', 'xp.fabs(a)', 'xp.angle(a)', 'xp.angle(a, True)', 'xp.angle(k - 2)',
    'xp.deg2rad(v)', 'xp.rad2deg(v)', 'xp.isreal(n)', 'xp.iscomplex(n)', 'xp.isposinf(a / 0)', 'xp.isneginf(a / 0)',
    'xp.conjugate(a)', 'a.conjugate()', 'xp.imag(a / 0)', 'a.imag', 'xp.nanmax(n)', 'xp.nanmin(n)',
    'xp.nanmax(n, axis=1)', 'xp.nanmin(n, axis=0)', 'xp.nanmax(n, axis=1, keepdims=True)', 'xp.nanmax(k)',
    'xp.nanmean(n)', 'xp.nanmean(n, axis=1)', 'xp.nanmean(k)',
    'xp.nanprod(n, axis=1)', 'xp.nanvar(n, axis=0)', 'xp.nanargmax(n[0])',
    'xp.compress(k > 0, v)', 'v.compress(k > 0)', 'a.compress(v > 0.6, axis=1)', 'xp.extract(k > 0, v)',
    'xp.packbits(a > 0)', 'xp.hanning(5)', 'xp.convolve(v, v)', 'xp.interp(v, [0, 1], [3, 4])', 'xp.quantile(v, 0.3)',
    'xp.gradient(v)', 'k.choose([v, 2 * v, 3 * v, 4 * v])', 'xp.logaddexp2(v, v)',
]


def given(convert):
    return {name: convert(x) for name, x in dict(a=A, v=V, k=K, n=N).items()}


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('expression', EXPRESSIONS)
def test_expressions(expression):
    with np.errstate(all='ignore'):
        expected = eval(expression, dict(given(lambda x: x), xp=np))
    got = eval(expression, dict(given(cuda.to_gpu), xp=xp))
    for e, g in zip(expected, got) if isinstance(expected, tuple) else [(expected, got)]:
        assert isinstance(g, cuda.ndarray) and g.shape == np.shape(e) and g.dtype == np.asarray(e).dtype
        np.testing.assert_allclose(g.get(), e, rtol=1e-6)


INDICES = [1, slice(1, 3), [0, 0, 1], ([0, 0, 1], [2, 2, 3]), (slice(None), [1, 1, 3]), ([0, 0], slice(1, 3)), A > 0,
           (np.array([0, 0]), 1), (np.array([[0], [0]]), np.array([[1, 1]])), (Ellipsis, None, 2), slice(0, 0)]


def sent(index):
    if isinstance(index, tuple):
        return tuple([sent(i) for i in index])
    return cuda.to_gpu(index) if isinstance(index, np.ndarray) else index


@pytest.mark.parametrize('dtype', ['f', 'd', 'e', 'i', 'l'])
def test_scatter_add(dtype):
    for add in (xp.scatter_add, cuda.cupyx.scatter_add, cuda.ndarray.scatter_add):
        for index in INDICES:
            expected = (A * 4).astype(dtype)
            a = cuda.to_gpu(expected)
            value = np.arange(expected[index].size).reshape(expected[index].shape).astype(dtype)
            for v in (2, value):
                np.add.at(expected, index, v)
                assert add(a, sent(index), v if v is not value else cuda.to_gpu(v)) is None
            np.testing.assert_allclose(a.get(), expected, rtol=1e-2 if dtype == 'e' else 1e-6)
    t = xp.zeros((2, 3)).T
    t.scatter_add(([0, 0], [1, 1]), 1)
    assert t[0, 1] == 2 and t.sum() == 2
    xp.scatter_add(t, 1, 7)


def test_writes():
    a, b = A.copy(), cuda.to_gpu(A)
    np.put(a, [1, 5], [7, 8])
    xp.put(b, [1, 5], xp.array([7, 8]))
    b.put([0], 6)
    a.put([0], 6)
    np.place(a, a < 0, [1, 2])
    xp.place(b, b < 0, [1, 2])
    np.fill_diagonal(a, 9)
    xp.fill_diagonal(b, 9)
    a.partition(2)
    b.partition(2)
    assert (b.get() == a).all() and (b.argpartition(1).shape, b[0].searchsorted(0).item()) == ((3, 4), 0)


def test_files(tmp_path):
    a, v = cuda.to_gpu(A), cuda.to_gpu(V)
    xp.save(str(tmp_path / 'a.npy'), a)
    assert (xp.load(str(tmp_path / 'a.npy')).get() == A).all() and (np.load(str(tmp_path / 'a.npy')) == A).all()
    for write in (xp.savez, xp.savez_compressed):
        file = io.BytesIO()
        write(file, a, v=v)
        file.seek(0)
        with xp.load(file) as found:
            assert sorted(found) == sorted(found.files) == ['arr_0', 'v'] and 'v' in found
            assert isinstance(found['v'], cuda.ndarray) and (found['arr_0'].get() == A).all()
    a.tofile(str(tmp_path / 'raw'))
    assert (np.fromfile(str(tmp_path / 'raw'), 'f') == A.ravel()).all()
    assert (pickle.loads(a.dumps()) == A).all() and a.tostring() == A.tobytes()


def test_dtypes_and_versions():
    a = cuda.to_gpu(A)
    assert xp.issubdtype(a.dtype, xp.floating) and not xp.issubdtype(a.dtype, xp.integer)
    assert xp.zeros(2, xp.int_).dtype == np.int_ and xp.zeros(2, xp.intp).dtype == np.intp
    assert not xp.iscomplexobj(a) and xp.isrealobj(a) and xp.iscomplexobj(1j) and xp.float_ is xp.float64
    assert int(xp.__version__.split('.')[0]) == 5 and xp.array_str(a) == str(A) and xp.array_repr(a) == repr(A)


def test_capsules():
    a = cuda.to_gpu(A)
    b = xp.fromDlpack(a.toDlpack())
    b[...] = 3
    assert (a.get() == 3).all()


def test_names_of_cuda():
    with pytest.raises(xp.cuda.memory.OutOfMemoryError):
        raise MemoryError
    with pytest.raises(xp.cuda.runtime.CUDARuntimeError):
        xp.cuda.Device(99).use()
    with xp.cuda.profile():
        xp.cuda.nvtx.RangePush('range', 0)
        xp.cuda.nvtx.RangePop()
    calls = []
    f = xp.util.memoize()(calls.append)
    f(1), f(1)
    assert calls == [1]
    source = 'extern "C" __global__ void twice(float* x) { x[blockIdx.x] *= 2; }'
    with pytest.raises(RuntimeError, match='compiler'):  # kernels run in text_kernels_cases.py
        xp.cuda.compile_with_cache(source).get_function('twice')((1,), (1,), (xp.ones(1, 'f'),))


def test_other_functions():
    x = cuda.to_gpu(V)
    np.testing.assert_allclose(cuda.cupyx.rsqrt(x).get(), 1 / np.sqrt(V))
    np.testing.assert_allclose(xp.linalg.tensorinv(xp.eye(4).reshape(2, 2, 2, 2)).get(), np.eye(4).reshape(2, 2, 2, 2))
    assert xp.linalg.LinAlgError is np.linalg.LinAlgError


def test_import_by_the_name_of_cupy():
    cupy = importlib.import_module('cupy')
    if not cupy.__name__.startswith('chainer'):
        pytest.skip('CuPy is installed')
    assert cupy is xp and importlib.import_module('cupyx') is cuda.cupyx
    assert importlib.import_module('cupy.cuda') is xp.cuda and importlib.import_module('cupy.random') is xp.random
    with pytest.raises(ImportError):
        importlib.import_module('cupy.nothing')
