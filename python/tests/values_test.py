# SPDX-License-Identifier: MIT
"""Orthogonal, batch normalization of float16 and the types of schedules' values beside formulas in double precision."""
import numpy as np
import pytest

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import initializers, optimizers, training
from chainer.training import extensions


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('shape', [(1,), (2, 3), (3, 3), (2, 2, 3), (4, 2, 3, 3)])
def test_orthogonal(shape, dtype):
    np.random.seed(3)
    w = initializers.generate_array(initializers.Orthogonal(2., dtype), shape, np)
    assert w.dtype == dtype and w.shape == shape
    flat = w.reshape(len(w), -1).astype('d')
    np.testing.assert_allclose(flat @ flat.T, 4 * np.eye(len(w)), atol=1e-2 if dtype == 'e' else 1e-5)
    # The release's draw.
    np.random.seed(3)
    u, _, v = np.linalg.svd(np.random.normal(size=flat.shape), full_matrices=False)
    np.testing.assert_allclose(flat, 2 * (u if u.shape == flat.shape else v), atol=1e-2 if dtype == 'e' else 1e-5)


def test_orthogonal_where_there_is_no_system():
    for shape in ((3, 2), (4, 3, 1), (0, 3), (3, 0)):
        with pytest.raises(ValueError):
            initializers.Orthogonal()(np.zeros(shape, 'f'))
    state = np.random.get_state()[2]
    a = np.zeros((), 'f')
    initializers.Orthogonal(-2.)(a)
    assert a == -2 and np.random.get_state()[2] == state
    with pytest.raises(AssertionError):
        initializers.Orthogonal(dtype='d')(np.zeros((2, 3), 'f'))
    assert L.Linear(3, 2, initialW=initializers.Orthogonal()).W.shape == (2, 3)


def normalized(x, gamma, beta, gy, eps, axes):
    """Results and gradients of batch normalization in double precision."""
    x, gamma, beta, gy = (a.astype('d') for a in (x, gamma, beta, gy))
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    shape = [n if n > 1 or i == 1 else 1 for i, n in enumerate(mean.shape)]
    gamma, beta = gamma.reshape(shape), beta.reshape(shape)
    r = 1 / np.sqrt(var + eps)
    h = (x - mean) * r
    ggamma, gbeta = (gy * h).sum(axes, keepdims=True), gy.sum(axes, keepdims=True)
    n = x.size / gamma.size
    return mean, var, gamma * h + beta, gamma * r * (gy - (h * ggamma + gbeta) / n), ggamma, gbeta


@pytest.mark.parametrize('scale', [1e-2, 1, 1000])  # (1000: squares and sums beyond what float16 has)
@pytest.mark.parametrize('shape', [(16, 3), (8, 3, 2), (4, 3, 4, 4)])
def test_batch_normalization_of_float16(shape, scale):
    random = np.random.RandomState(0)
    axes = tuple(i for i in range(len(shape)) if i != 1)
    x = chainer.Variable((random.randn(*shape) * scale).astype('e'))
    gamma = chainer.Variable((random.rand(3) + 0.5).astype('e'))
    beta = chainer.Variable(random.randn(3).astype('e'))
    gy = random.randn(*shape).astype('e')
    mean, var = np.zeros(3, 'f'), np.ones(3, 'f')
    y = F.batch_normalization(x, gamma, beta, eps=1e-3, running_mean=mean, running_var=var, decay=0.5)
    y.grad = gy
    y.backward()
    assert y.dtype == np.float16 and x.grad.dtype == np.float16
    assert gamma.grad.dtype == np.float16 and mean.dtype == np.float32
    m, v, expected, gx, ggamma, gbeta = normalized(x.array, gamma.array, beta.array, gy, 1e-3, axes)
    np.testing.assert_allclose(y.array, expected, atol=5e-3)
    np.testing.assert_allclose(x.grad, gx, rtol=1e-2, atol=1e-2 * np.abs(gx).max() + 1e-7)
    np.testing.assert_allclose(gamma.grad, ggamma.ravel(), rtol=1e-2, atol=2e-2)
    np.testing.assert_allclose(beta.grad, gbeta.ravel(), rtol=1e-2, atol=2e-2)
    np.testing.assert_allclose(mean, 0.5 * m.ravel(), rtol=1e-2, atol=1e-3 * scale)
    n = x.size // 3
    np.testing.assert_allclose(var, 0.5 + 0.5 * v.ravel() * n / (n - 1), rtol=1e-2)
    z = F.fixed_batch_normalization(x, gamma, beta, np.zeros(3, 'e'), np.ones(3, 'e'), eps=1e-3)
    assert z.dtype == np.float16
    column = (3,) + (1,) * (len(shape) - 2)
    fixed = x.array.astype('d') / np.sqrt(1.001) * gamma.array.reshape(column) + beta.array.reshape(column)
    np.testing.assert_allclose(z.array, fixed, rtol=5e-3, atol=5e-3)


def test_batch_normalization_link_of_float16():
    with chainer.using_config('dtype', np.dtype('e')):
        link = L.BatchNormalization(3)
    x = np.random.randn(16, 3).astype('e')
    y = link(x)
    assert y.dtype == np.float16
    with chainer.using_config('train', False):
        assert link(x).dtype == np.float16


def test_values_of_schedules_have_the_releases_types():
    def values(extension):
        optimizer = optimizers.SGD(0.5).setup(L.Linear(1, 1))
        trainer = training.Trainer(training.StandardUpdater({'main': iter([])}, optimizer), (1, 'epoch'))
        extension.initialize(trainer)
        found = [optimizer.lr]
        for _ in range(3):
            extension(trainer)
            found.append(optimizer.lr)
        return found

    steps = values(extensions.StepShift('lr', 0.1, 2))
    assert [type(v) for v in steps] == [float] + [np.float64] * 3
    np.testing.assert_allclose(steps, [0.5, 0.5, 0.05, 0.05])
    first = np.float32(0.25)
    warm = values(extensions.WarmupShift('lr', first, 2, 1))
    assert warm[0] is first
    np.testing.assert_allclose(warm, [0.25, 0.625, 1, 1])
