# SPDX-License-Identifier: MIT
"""Orders, dtypes, large numbers and rare arguments of arrays on a device, as in NumPy and CuPy 5."""
import numpy as np
import pytest

from chainer.backends import cuda

xp = cuda.cupy
G = np.arange(12).reshape(3, 4)
BIG = np.array([1e30, -1e30, np.inf, -np.inf, np.nan, 0, 1e-30, 3, 3e38], 'f')
L, W = np.array([0, 1, 1, 2]), np.array([0.5, 1, 2, 3])
# Expressions of a module and of copies of these arrays, for arrays on the host and on the device.
EXPRESSIONS = [
    'g.reshape(2, 6, order="F")', 'g.reshape((-1, 3), order="F")', 'xp.reshape(g, (4, 3), "F")', 'g.ravel("F")',
    'g.reshape(2, 6, order="A")', 'g.T.reshape(2, 6, order="A")', 'g.T.ravel("K")', 'g.T.ravel()', 'g.flatten("F")',
    'xp.ravel(g, "F")', 'xp.linalg.norm(g * 1000000000)', 'xp.linalg.norm(g.astype("i") * 10000000)',
    'xp.arcsinh(big)', 'xp.arccosh(big)', 'xp.arccosh(1 + big[6:8])', 'xp.arcsinh(big.astype("e"))', 'xp.arcsinh(g)',
    'xp.hypot(big, big)', 'xp.hypot(big, big[::-1])', 'xp.hypot(g.astype("i") * 100000, 3)', 'xp.hypot(2, big)',
    'xp.around(g, -1)', 'xp.around(g * 1.7, -1)', 'xp.around(g, 1)', 'g.round(-1)',
    'xp.reciprocal(g + 1)', 'xp.reciprocal(-1 - g)', 'xp.reciprocal(g > -1)', 'xp.reciprocal((g + 1).astype("B"))',
    'xp.reciprocal(w)', 'xp.exp2(big[5:8])', 'xp.exp2(w.astype("f") * 42)', 'xp.exp2(l)', 'xp.bincount(l, weights=w)',
    'xp.histogram(w, bins=xp.array([0, 1, 2.5]))', 'xp.choose(l, [w, -w, 2 * w])', 'xp.searchsorted(w, v=w)',
    'xp.lexsort(xp.stack([l, -l]))', 'xp.einsum("ij,kj->ik", g, g)', 'xp.einsum("ii", g[:3, :3] > 2)',
    'xp.einsum(w, [0], l, [0], [0])', 'xp.tril(g > 3)',
    'xp.triu(g > 3, 1)', 'w.clip(max=1)', 'w.clip(min=1, max=2)', 'xp.rint(g)', 'xp.isclose(g > 3, g > 4)',
    'xp.exp(b)', 'xp.sqrt(g > 3)', 'xp.sin(h)', 'xp.arctan2(b, b)', 'xp.hypot(b, h)', 'xp.arcsinh(b)', 'xp.exp2(h)',
    'xp.degrees(b)', 'xp.logaddexp(b, b)', 'np.exp(b)', 'xp.rint(b)', 'xp.round(g > 3)', 'xp.arcsinh(2)',
    'xp.reciprocal(4.)', 'g.sum(axis=1, keepdims=1)', 'g.max(0, keepdims=1)', 'xp.rollaxis(g[None], 2, -1)',
    'xp.rollaxis(g[None], 0, 3)', 'xp.expand_dims(g, (0, -1))', 'xp.append(w, [1, 2])',
    'xp.inner(w[0, ...], w)', 'xp.inner(g, g[:2])', 'xp.hypot(big[6:7], big[6:7])', 'np.float64(2) < w',
    'np.float32(1) == w', 'np.int64(2) >= g', 'xp.triu(w[None])', 'xp.tril(g)', 'xp.einsum("i,i", w, l)',
    'w.astype(None)',
]


def given(convert):
    return {name: convert(a) for name, a in dict(g=G, big=BIG, l=L, w=W, b=G.astype('b'), h=G.astype('h')).items()}


@pytest.mark.parametrize('expression', EXPRESSIONS)
def test_expressions(expression):
    with np.errstate(all='ignore'):
        expected = eval(expression, dict(given(lambda a: a), xp=np, np=np))
    got = eval(expression, dict(given(cuda.to_gpu), xp=xp, np=np))
    for e, g in zip(expected, got) if isinstance(expected, tuple) else [(expected, got)]:
        assert g.shape == np.shape(e) and g.dtype == np.asarray(e).dtype
        np.testing.assert_allclose(g.get(), e, rtol=2e-3 if g.dtype == np.float16 else 4e-7)


def test_writes_by_position():
    a, b = G * 1., cuda.to_gpu(G * 1.)
    for x in (a, b):
        for y in (x, x.T, x[:, ::2]):
            y.flat[3] = 90
            y.flat[1:3] = -1
    np.testing.assert_array_equal(b.get(), a)
    assert b.T.flat[3] == a.T.flat[3] and b.T.flat[1:3].tolist() == a.T.flat[1:3].tolist()
    assert [float(v) for v in b.T.flat] == list(a.T.flat) and len(b.flat) == 12
    b.flat = 2
    assert (b.get() == 2).all()
    for y in (b, b.T):
        y.itemset(3, 5)
        y.itemset((1, 1), 7)
        y.itemset(2, 1, 8)
        assert y.ravel()[3] == 5 and y[1, 1] == 7 and y[2, 1] == 8
    assert (b == 2).sum() == 12 - 5
    one = xp.zeros((1, 1))
    one.itemset(4)
    assert one.item() == 4
    for wrong in ((5,), ((1,), 5), (0, 0, 0, 5)):
        with pytest.raises(ValueError, match='itemset'):
            b.itemset(*wrong)


def test_outputs_of_another_kind_are_errors():
    out = xp.zeros(2, 'i')
    for wrong in (lambda: xp.exp(xp.ones(2), out=out), lambda: xp.add(xp.ones(2), 1, out),
                  lambda: np.exp(xp.ones(2), out=out), lambda: xp.sum(xp.ones((3, 2)), axis=0, out=out)):
        with pytest.raises(TypeError, match='kind'):
            wrong()
    assert xp.add(xp.ones(2, 'l'), 1, out).tolist() == [2, 2]
    half = xp.zeros(2, 'e')
    assert xp.exp(xp.zeros(2), out=half) is half and half.tolist() == [1, 1]


def test_unsigned_and_other_dtypes():
    a = xp.array([-1., 2, 70000])
    assert a.astype('u2').tolist() == [65535, 2, 4464] and a.astype('u2').dtype == np.int32
    assert a.astype(np.uint32).tolist() == [2 ** 32 - 1, 2, 70000] and a.astype('u8').dtype == np.int64
    assert xp.zeros(2, 'u2').dtype == xp.empty_like(a, 'u2').dtype == np.int32
    assert xp.sum(xp.ones(2), dtype='u4').dtype == np.int64
    for wrong in (lambda: a.astype('F'), lambda: xp.zeros(2, complex), lambda: a.astype(object)):
        with pytest.raises(TypeError, match='arrays on devices have booleans'):
            wrong()


def test_views_of_other_dtypes():
    a, b = G.astype('f'), cuda.to_gpu(G.astype('f'))
    for dtype in ('i4', 'f4', 'i8', 'B', 'e', '?'):
        v = b.view(dtype)
        assert v.dtype == dtype and v.get().tobytes() == a.tobytes() and v.shape == a.view(dtype).shape
    b += 1
    view = b.view('i4')
    b *= 2
    assert (view.get() == ((a + 1) * 2).view('i4')).all()
    view[0] = 0
    del view
    assert not b[0].get().any() and b[1:].get().all()
    with pytest.raises(NotImplementedError, match='view'):
        b.T.view('i4')
    with pytest.raises(ValueError, match='last axis'):
        b[:, :1].copy().view('d')


def test_orders_of_memory():
    a = cuda.to_gpu(G)
    for y in (a.T.copy(), xp.array(a.T, order='C'), xp.ascontiguousarray(a.T), xp.asarray(a.T, order='C')):
        assert y.flags.c_contiguous and (y.get() == G.T).all()
    for y in (a.copy('F'), xp.array(G, order='F'), xp.asarray(a, order='F'), xp.zeros((2, 3), order='F'),
              xp.ones((2, 3), 'f', 'F'), xp.empty((2, 3), order='F'), xp.full_like(a, 2, order='F'), a.T.copy('K')):
        assert y.flags.f_contiguous and not y.flags.c_contiguous
    assert (xp.asarray(a, order='F').get() == G).all() and xp.ones((2, 3), order='F').get().tolist() == [[1] * 3] * 2
    assert a.T.get().flags.c_contiguous and a.get(order='F').flags.f_contiguous
    assert a.item((1, 2)) == a.item(1, 2) == a.item(6) == G[1, 2] and a[0].item((2,)) == 2


def test_arrays_of_numpy_in_functions_that_call_a_method():
    for call in (lambda m: m.clip(G[:, 0::2], 0, 5), lambda m: m.max(G, axis=1), lambda m: m.sum(G, 0, keepdims=True),
                 lambda m: m.reshape(G, (4, 3)), lambda m: m.transpose(G), lambda m: m.sort(G[::-1], axis=0)):
        y = call(xp)
        assert isinstance(y, np.ndarray) and (y == call(np)).all()
    a = cuda.to_gpu(G)
    assert xp.clip(a=a, a_min=0, a_max=5).max() == 5 and xp.max(a, dtype='f').dtype == a.min(dtype='f').dtype == 'f'
    with pytest.raises(TypeError):
        xp.add(a, G)


def test_lists_of_arrays_and_positions():
    a = cuda.to_gpu(G)
    assert xp.array([[a[0, 0], 7], [a[1, 1], 8.5]]).tolist() == [[0, 7], [5, 8.5]]
    assert xp.asarray(a.T.flat).tolist() == list(G.T.flat) and isinstance(xp.random.bytes(3), bytes)


def test_orders_that_do_not_exist():
    for wrong in (lambda x: x.reshape(2, 6, order='X'), lambda x: x.ravel('X'), lambda x: x.flatten('X')):
        with pytest.raises(ValueError, match='order must be'):
            wrong(xp.zeros((3, 4)))
    assert cuda.to_gpu(G).tobytes('F') == G.tobytes('F')


def test_axes_that_do_not_exist():
    error = getattr(np, 'exceptions', np).AxisError
    x = xp.zeros((3, 4))
    for wrong in (lambda: xp.expand_dims(x, 5), lambda: xp.rollaxis(x, 5), lambda: xp.rollaxis(x, 0, 4),
                  lambda: xp.tensordot(x, x, ((2,), (0,))), lambda: xp.diff(x, axis=2),
                  lambda: xp.take_along_axis(x, x.astype(int), 2)):
        with pytest.raises(error):
            wrong()
