# SPDX-License-Identifier: MIT
"""Distributions: shapes, values where they are known, gradients of samples, divergences."""
import math

import numpy as np
import pytest

import chainer
import chainer.distributions as D
import chainer.functions as F


def test_shapes_of_samples_and_of_functions_of_them():
    tril = np.tile(np.array([[1, 0], [.5, 2]], 'f'), (4, 3, 1, 1))
    d = D.MultivariateNormal(np.zeros((4, 3, 2), 'f'), scale_tril=tril)
    assert d.event_shape == (2,) and d.batch_shape == (4, 3)
    s = d.sample(sample_shape=(6, 5))
    assert s.shape == (6, 5, 4, 3, 2) and d.log_prob(s).shape == (6, 5, 4, 3)
    assert d.sample(7).shape == (7, 4, 3, 2)
    np.testing.assert_allclose(d.covariance.array[0, 0], [[1, .5], [.5, 4.25]])


def test_values():
    n = D.Normal(np.array([0, 1], 'd'), log_scale=np.zeros(2))
    np.testing.assert_allclose(n.prob(np.array([0., 1.])).array, 1 / math.sqrt(2 * math.pi))
    np.testing.assert_allclose(n.icdf(n.cdf(np.array([.3, -.4]))).array, [.3, -.4], rtol=1e-12)
    b = D.Bernoulli(np.array([0., .25]))
    np.testing.assert_allclose(b.log_prob(np.array([0, 1])).array, [0, math.log(.25)])
    assert b.entropy.array[0] == 0
    c = D.Categorical(np.array([[.25, .75], [1, 0]]))
    np.testing.assert_allclose(c.prob(np.array([1, 0])).array, [.75, 1])
    np.testing.assert_allclose(D.Laplace(np.zeros(1), np.ones(1)).log_cdf(np.array([-800.])).array,
                               [-800 - math.log(2)])
    u = D.Uniform(low=np.zeros(2), high=np.ones(2))
    assert u.log_prob(np.array([.5, 2])).array.tolist() == [0, -math.inf]
    assert D.Uniform(loc=np.zeros(1), scale=np.ones(1)).params.keys() == {'loc', 'scale'}


def test_samples_have_gradients():
    loc, scale = chainer.Variable(np.zeros(3)), chainer.Variable(np.ones(3))
    np.random.seed(0)
    F.sum(D.Normal(loc, scale).sample(4)).backward()
    np.random.seed(0)
    np.testing.assert_allclose(scale.grad, np.random.standard_normal((4, 3)).sum(axis=0))
    np.testing.assert_allclose(loc.grad, [4, 4, 4])


def test_divergences():
    p, q = D.Normal(np.zeros(1), np.ones(1)), D.Normal(np.ones(1), 2 * np.ones(1))
    expected = math.log(2) + (1 + 1) / 8. - .5
    np.testing.assert_allclose(chainer.kl_divergence(p, q).array, [expected])
    np.testing.assert_allclose(chainer.cross_entropy(p, q).array, p.entropy.array + expected)
    for d in (p, D.Beta(np.ones(1), np.full(1, 2.)), D.Dirichlet(np.ones((1, 3))), D.Laplace(np.zeros(1), np.ones(1)),
              D.LogNormal(np.zeros(1), np.ones(1)), D.Categorical(np.full((1, 2), .5)), D.Bernoulli(np.full(1, .5)),
              D.Uniform(low=np.zeros(1), high=np.ones(1)),
              D.MultivariateNormal(np.zeros((1, 2)), scale_tril=np.eye(2)[None])):
        np.testing.assert_allclose(chainer.kl_divergence(d, d).array, [0], atol=1e-12)

    class Mine(chainer.Distribution):
        pass

    with pytest.raises(KeyError):
        chainer.kl_divergence(Mine(), p)

    @chainer.register_kl(Mine, D.Normal)
    def _kl(mine, normal):
        return 3
    assert chainer.kl_divergence(Mine(), p) == 3


def test_functions_that_distributions_are_made_of():
    from chainer.distributions import bernoulli, laplace, multivariate_normal, utils
    p = np.array([0.3, 0.8])
    assert np.allclose(laplace._laplace_cdf(laplace._laplace_icdf(p)).array, p)
    y = bernoulli._bernoulli_log_prob(np.array([0.3, 0.4]), np.array([0.5, 1]), True).array
    assert np.isinf(y[0]) and np.isclose(y[1], -np.log1p(np.exp(-0.4)))
    x = chainer.Variable(np.array([0.5, 0]))
    y = utils._modified_xlogx(x)
    F.sum(y).backward()
    assert np.allclose(y.array, [0.5 * np.log(0.5), 0]) and np.allclose(x.grad, [np.log(0.5) + 1, 0])
    upper = np.array([[2, 5], [0, 4]], 'f')
    assert np.allclose(multivariate_normal._triangular_inv(upper, lower=False).array, np.linalg.inv(upper))
    assert np.allclose(multivariate_normal._triangular_inv(upper.T).array, np.linalg.inv(upper.T))
