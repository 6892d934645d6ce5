# SPDX-License-Identifier: MIT
"""Distributions: every property and method with random parameters, and divergences."""
import numpy

import chainer
import chainer.distributions as D
import chainer.functions as F


def _positive(r, shape, dtype):
    return numpy.asarray(r.array(shape, dtype, 0.2, 2.))


def _probabilities(r, shape, dtype):
    p = _positive(r, shape, 'd')
    return (p / p.sum(-1, keepdims=True)).astype(dtype)


def _make(r, kind, shape, dtype):
    """A distribution and a point that fits it."""
    wrap = r.one(lambda a: a, chainer.Variable)
    if kind == 'Bernoulli':
        p = r.array(shape, dtype, 0.1, 0.9)
        x = r.array(shape, r.one('i', dtype), 0, 1)
        options = {'binary_check': r.chance(0.5)}
        return (D.Bernoulli(wrap(p), **options) if r.chance(0.5) else
                D.Bernoulli(logit=wrap(numpy.log(p / (1 - p)).astype(dtype)), **options)), x
    if kind == 'Categorical':
        n = r.int(1, 4)
        p = _probabilities(r, shape + (n,), dtype)
        x = r.array(shape, 'i', 0, n - 1)
        return (D.Categorical(wrap(p)) if r.chance(0.5) else D.Categorical(logit=wrap(numpy.log(p)))), x
    if kind == 'Dirichlet':
        n = r.int(1, 4)
        return D.Dirichlet(wrap(_positive(r, shape + (n,), dtype))), _probabilities(r, shape + (n,), dtype)
    if kind == 'MultivariateNormal':
        n = r.int(1, 3)
        tril = numpy.tril(_positive(r, shape + (n, n), dtype))
        return D.MultivariateNormal(loc=wrap(r.array(shape + (n,), dtype)), scale_tril=wrap(tril)), \
            r.array(shape + (n,), dtype)
    a, b = r.array(shape, dtype), _positive(r, shape, dtype)
    if kind == 'Beta':
        return D.Beta(wrap(_positive(r, shape, dtype)), wrap(b)), r.array(shape, dtype, 0.05, 0.95)
    if kind == 'Normal' and r.chance(0.5):
        return D.Normal(wrap(a), log_scale=wrap(numpy.log(b))), r.array(shape, dtype)
    if kind == 'Uniform':
        if r.chance(0.5):
            return D.Uniform(low=wrap(a), high=wrap(numpy.asarray(a + b))), r.array(shape, dtype)
        return D.Uniform(loc=wrap(a), scale=wrap(b)), r.array(shape, dtype)
    if kind == 'LogNormal':
        return D.LogNormal(wrap(a), wrap(b)), _positive(r, shape, dtype)
    return getattr(D, kind)(wrap(a), wrap(b)), r.array(shape, dtype)


KINDS = ('Bernoulli', 'Beta', 'Categorical', 'Dirichlet', 'Laplace', 'LogNormal', 'MultivariateNormal', 'Normal',
         'Uniform')


def methods(r, see):
    kind = r.one(*KINDS)
    shape, dtype = r.shape(0, 2, 3), r.one('f', 'f', 'd')
    d, x = _make(r, kind, shape, dtype)
    see(kind, d.batch_shape, d.event_shape, str(d.support), sorted(d.params))
    for name in ('mean', 'variance', 'stddev', 'mode', 'entropy', 'covariance'):
        see(name)
        try:
            see(getattr(d, name))
        except Exception as e:
            see(e)
    for name in ('log_prob', 'prob', 'cdf', 'log_cdf', 'log_survival_function', 'survival_function'):
        see(name)
        see.attempt(getattr(d, name), chainer.Variable(x) if r.chance(0.5) else x)
    for name in ('icdf', 'perplexity'):
        see(name)
        value = getattr(d, name, None)
        see.attempt(value, r.array(shape, dtype, 0.1, 0.9)) if callable(value) else see(value)
    n = r.one((), 1, 3, (2,), (2, 3), (0,))
    s = d.sample(*([] if r.chance(0.2) else [n])) if r.chance(0.5) else d.sample(sample_shape=n)
    see(s.shape, s.dtype.name)


def samples(r, see):
    """What is drawn follows NumPy's generator where the release draws by it."""
    kind = r.one(*KINDS)
    d, _ = _make(r, kind, r.shape(0, 2, 3), 'f')
    see(kind, d.sample(r.one((), (2,), 3)), d.sample_n(r.int(1, 3)))


def gradients(r, see):
    kind = r.one('Normal', 'Laplace', 'Beta', 'LogNormal', 'Uniform', 'Dirichlet')
    shape = r.shape(0, 2, 3)
    d, x = _make(r, kind, shape, 'f')
    params = d.params
    values = [params[k] for k in sorted(params) if isinstance(params[k], chainer.Variable)]
    x = chainer.Variable(numpy.asarray(x))
    y = F.sum(d.log_prob(x))
    if r.chance(0.5):
        y = y + F.sum(d.entropy)
    y.backward()
    see(x.grad, *[v.grad for v in values])


def divergences(r, see):
    a, b = r.one(*KINDS), r.one(*KINDS)
    if r.chance(0.8):
        b = a
    shape = r.shape(0, 2, 3)
    p, _ = _make(r, a, shape, 'f')
    q, _ = _make(r, b, shape, 'f')
    see(a, b)
    if a in ('Uniform', 'MultivariateNormal', 'Dirichlet', 'Categorical') and p.event_shape != q.event_shape:
        return
    see.attempt(chainer.kl_divergence, p, q)
    see.attempt(chainer.cross_entropy, p, q)


def wrong_parameters(r, see):
    a = r.array((2,), 'f', 0.2, 0.8)
    see.attempt(lambda: r.one(
        lambda: D.Bernoulli(), lambda: D.Bernoulli(a, a), lambda: D.Normal(a), lambda: D.Normal(a, a, log_scale=a),
        lambda: D.Uniform(loc=a), lambda: D.Uniform(low=a), lambda: D.Uniform(loc=a, scale=a, low=a, high=a),
        lambda: D.Categorical(), lambda: D.Categorical(a, logit=a), lambda: D.MultivariateNormal(a, scale_tril=a),
        lambda: D.MultivariateNormal(a), lambda: D.Normal(a, numpy.ones((3, 2), 'f')).sample(),
        lambda: D.Bernoulli(a, binary_check=True).log_prob(a), lambda: D.Normal(a, a).log_prob('x'),
        lambda: D.Uniform(low=a, high=a).mean, lambda: D.Dirichlet(a).log_prob(numpy.ones(3, 'f')),
        lambda: D.Distribution if hasattr(D, 'Distribution') else chainer.Distribution().sample())())


def copies(r, see):
    import copy
    d, x = _make(r, r.one(*KINDS), r.shape(0, 2, 3), 'f')
    c = r.one(copy.copy, copy.deepcopy)(d)
    see(c.batch_shape, c.log_prob(x))
