# SPDX-License-Identifier: MIT
"""The distributions of make_sweep.py, method by method and argument by argument: added to cases."""
import mpmath as mp

from sweep_functions import *  # noqa: F403

def family(name, arguments, methods):
    """Each method as a function of each argument: arguments are name: (value, where), methods name: f(arguments)."""
    for method, f in methods.items():
        names = f.__code__.co_varnames[:f.__code__.co_argcount]
        for argument in names:
            def g(x, f=f, names=names, argument=argument):
                return series(f(*(x if n == argument else series(arguments[n][0]) for n in names)))
            case(f'{name}.{method} by {argument}', g, arguments[argument][1])


def with_logarithms(methods, cdf, logarithm=None):
    """survival_function, log_cdf and log_survival_function from a pair: mass below, mass above."""
    below, above = cdf
    out = dict(methods)
    out['cdf'], out['survival_function'] = below, above
    names = below.__code__.co_varnames[:below.__code__.co_argcount]
    scope = {'log': logarithm or log, 'below': below, 'above': above}
    a = ', '.join(names)
    out['log_cdf'] = eval(f'lambda {a}: log(below({a}))', scope)
    out['log_survival_function'] = eval(f'lambda {a}: log(above({a}))', scope)
    if logarithm:  # given the pair of arguments of ndtr
        out['cdf'] = eval(f'lambda {a}: ndtr(below({a}))', dict(scope, ndtr=ndtr))
        out['survival_function'] = eval(f'lambda {a}: ndtr(above({a}))', dict(scope, ndtr=ndtr))
    return out


normal_log = lambda z: -z * z / 2 - log2pi / 2
normal_kl = lambda loc, scale, loc2, scale2: (log(scale2 / scale) - 0.5 +
                                              (square(scale) + square(loc - loc2)) / square(scale2) / 2)
normal_entropy = lambda scale: log(scale) + (1 + log2pi) / 2
real = dict(x=(0.75, 'all'), p=(0.75, 'unit'), loc=(0.25, 'all'), scale=(1.5, 'positive'), loc2=(-0.5, 'all'),
            scale2=(0.75, 'positive'))
family('Normal', real, with_logarithms({
    'log_prob': lambda x, loc, scale: normal_log((x - loc) / scale) - log(scale),
    'prob': lambda x, loc, scale: exp(normal_log((x - loc) / scale)) / scale,
    'icdf': lambda p, loc, scale: loc + scale * ndtri(p),
    'entropy': normal_entropy,
    'perplexity': lambda scale: scale * mp.exp((1 + log2pi) / 2),
    'mean': lambda loc: loc, 'mode': lambda loc: loc,
    'variance': lambda scale: square(scale), 'stddev': lambda scale: scale, 'covariance': lambda scale: square(scale),
    'kl_divergence': normal_kl,
    'cross_entropy': lambda loc, scale, loc2, scale2: normal_entropy(scale) + normal_kl(loc, scale, loc2, scale2),
}, (lambda x, loc, scale: (x - loc) / scale, lambda x, loc, scale: (loc - x) / scale), log_ndtr))
by_log = dict(x=(0.75, 'all'), loc=(0.25, 'all'), log_scale=(0.5, 'all'), log_scale2=(-0.25, 'all'), loc2=(-0.5, 'all'))
family('NormalByLogScale', by_log, {
    'log_prob': lambda x, loc, log_scale: normal_log((x - loc) * exp(-log_scale)) - log_scale,
    'prob': lambda x, loc, log_scale: exp(normal_log((x - loc) * exp(-log_scale)) - log_scale),
    'cdf': lambda x, log_scale: ndtr((x - 0.25) * exp(-log_scale)),
    'log_cdf': lambda log_scale: log_ndtr(0.5 * exp(-log_scale)),
    'log_survival_function': lambda log_scale: log_ndtr(-0.5 * exp(-log_scale)),
    'entropy': lambda log_scale: log_scale + (1 + log2pi) / 2,
    'variance': lambda log_scale: exp(2 * log_scale), 'stddev': lambda log_scale: exp(log_scale),
    'kl_divergence': lambda log_scale, log_scale2: (log_scale2 - log_scale - 0.5 + exp(2 * (log_scale - log_scale2)) / 2
                                                    + 0.5625 * exp(-2 * log_scale2) / 2),
})


def laplace_below(z):
    return exp(z) / 2 if z.d[0] < 0 else 1 - exp(-z) / 2


def laplace_icdf(p):
    return log(2 * p) if p.d[0] < 0.5 else -log(2 * (1 - p))


def laplace_kl(loc, scale, loc2, scale2):
    d = absolute(loc - loc2)
    return log(scale2 / scale) + d / scale2 + scale / scale2 * exp(-d / scale) - 1


family('Laplace', real, with_logarithms({
    'log_prob': lambda x, loc, scale: -absolute(x - loc) / scale - log(2 * scale),
    'prob': lambda x, loc, scale: exp(-absolute(x - loc) / scale) / (2 * scale),
    'icdf': lambda p, loc, scale: loc + scale * laplace_icdf(p),
    'entropy': lambda scale: 1 + log(2 * scale),
    'mean': lambda loc: loc, 'mode': lambda loc: loc, 'perplexity': lambda scale: 2 * mp.e * scale,
    'variance': lambda scale: 2 * square(scale), 'stddev': lambda scale: mp.sqrt(2) * scale,
    'kl_divergence': laplace_kl,
    'cross_entropy': lambda loc, scale, loc2, scale2: 1 + log(2 * scale) + laplace_kl(loc, scale, loc2, scale2),
}, (lambda x, loc, scale: laplace_below((x - loc) / scale), lambda x, loc, scale: laplace_below((loc - x) / scale))))

log_real = dict(x=(0.75, 'positive'), p=(0.75, 'unit'), mu=(0.25, 'all'), sigma=(1.5, 'positive'), mu2=(-0.5, 'all'),
                sigma2=(0.75, 'positive'))
family('LogNormal', log_real, with_logarithms({
    'log_prob': lambda x, mu, sigma: normal_log((log(x) - mu) / sigma) - log(sigma) - log(x),
    'prob': lambda x, mu, sigma: exp(normal_log((log(x) - mu) / sigma)) / sigma / x,
    'icdf': lambda p, mu, sigma: exp(mu + sigma * ndtri(p)),
    'entropy': lambda mu, sigma: mu + normal_entropy(sigma),
    'mean': lambda mu, sigma: exp(mu + square(sigma) / 2), 'mode': lambda mu, sigma: exp(mu - square(sigma)),
    'variance': lambda mu, sigma: exp(2 * mu + square(sigma)) * expm1(square(sigma)),
    'stddev': lambda mu, sigma: exp(mu + square(sigma) / 2) * sqrt(expm1(square(sigma))),
    'kl_divergence': lambda mu, sigma, mu2, sigma2: normal_kl(mu, sigma, mu2, sigma2),
}, (lambda x, mu, sigma: (log(x) - mu) / sigma, lambda x, mu, sigma: (mu - log(x)) / sigma), log_ndtr))


def within(x, low, high, y):
    if x.d[0] in (low.d[0], high.d[0]):
        raise Undefined
    return y if low.d[0] < x.d[0] < high.d[0] else Series(mp.ninf)


def uniform_below(x, low, high):
    return clip((x - low) / (high - low), 0, 1)


def ordered(low, high):
    if not low.d[0] < high.d[0]:
        raise Undefined
    return high - low


def uniform_kl(low, high, low2, high2):
    if low.d[0] <= low2.d[0] or high.d[0] >= high2.d[0]:
        raise Undefined
    return log(ordered(low2, high2) / ordered(low, high))


flat = dict(x=(0.75, 'all'), p=(0.25, 'unit'), low=(-0.5, 'all'), high=(1.5, 'all'), low2=(-5, 'all'), high2=(7, 'all'))
family('Uniform', flat, with_logarithms({
    'log_prob': lambda x, low, high: within(x, low, high, -log(ordered(low, high))),
    'prob': lambda x, low, high: exp(within(x, low, high, -log(ordered(low, high)))),
    'icdf': lambda p, low, high: low + p * ordered(low, high),
    'entropy': lambda low, high: log(ordered(low, high)), 'mean': lambda low, high: (low + high) / 2,
    'variance': lambda low, high: square(high - low) / 12, 'stddev': lambda low, high: ordered(low, high) / mp.sqrt(12),
    'kl_divergence': uniform_kl,
}, (lambda x, low, high: uniform_below(x, low, high), lambda x, low, high: 1 - uniform_below(x, low, high))))
family('UniformByScale', dict(x=(0.75, 'all'), loc=(-0.5, 'all'), scale=(2, 'positive')), {
    'log_prob': lambda x, loc, scale: within(x, loc, loc + scale, -log(scale)),
    'cdf': lambda x, loc, scale: clip((x - loc) / scale, 0, 1), 'mean': lambda loc, scale: loc + scale / 2,
    'variance': lambda scale: square(scale) / 12, 'entropy': lambda scale: log(scale)})

bernoulli = dict(p=(0.75, 'unit'), p2=(0.25, 'unit'), logit=(0.75, 'all'), logit2=(-0.5, 'all'), x=(0.75, 'all'))
entropy_of_p = lambda p: -p * log(p) - (1 - p) * log(1 - p)
entropy_of_logit = lambda logit: softplus(logit) - logit * sigmoid(logit)
family('Bernoulli', bernoulli, {
    'log_prob(1)': lambda p: log(p), 'log_prob(0)': lambda p: log(1 - p), 'prob(1)': lambda p: p,
    'prob(0)': lambda p: 1 - p, 'cdf(0)': lambda p: 1 - p, 'log_cdf(0)': lambda p: log(1 - p),
    'survival_function(0)': lambda p: p, 'log_survival_function(0)': lambda p: log(p),
    'mean': lambda p: p, 'variance': lambda p: p * (1 - p), 'stddev': lambda p: sqrt(p * (1 - p)),
    'entropy': entropy_of_p, 'perplexity': lambda p: exp(entropy_of_p(p)),
    'kl_divergence': lambda p, p2: p * log(p / p2) + (1 - p) * log((1 - p) / (1 - p2)),
    'log_prob(x)': lambda x, p: x * log(p) + (1 - x) * log(1 - p), 'prob(x)': lambda x, p: x * p + (1 - x) * (1 - p)})
family('BernoulliByLogit', bernoulli, {
    'log_prob(1)': lambda logit: -softplus(-logit), 'log_prob(0)': lambda logit: -softplus(logit),
    'prob(1)': lambda logit: sigmoid(logit), 'prob(0)': lambda logit: sigmoid(-logit),
    'cdf(0)': lambda logit: sigmoid(-logit), 'log_cdf(0)': lambda logit: -softplus(logit),
    'survival_function(0)': lambda logit: sigmoid(logit), 'log_survival_function(0)': lambda logit: -softplus(-logit),
    'mean': lambda logit: sigmoid(logit), 'variance': lambda logit: sigmoid(logit) * sigmoid(-logit),
    'stddev': lambda logit: sqrt(sigmoid(logit) * sigmoid(-logit)),
    'entropy': entropy_of_logit, 'perplexity': lambda logit: exp(entropy_of_logit(logit)),
    'kl_divergence': lambda logit, logit2: (sigmoid(logit) * (softplus(-logit2) - softplus(-logit)) +
                                            sigmoid(-logit) * (softplus(logit2) - softplus(logit)))})


def log_beta(a, b):
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def beta_log_prob(x, a, b):
    return (a - 1) * log(x) + (b - 1) * log(1 - x) - log_beta(a, b)


def beta_entropy(a, b):
    return log_beta(a, b) - (a - 1) * digamma(a) - (b - 1) * digamma(b) + (a + b - 2) * digamma(a + b)


def beta_variance(a, b):
    return a * b / square(a + b) / (a + b + 1)


def beta_mode(a, b):
    if a.d[0] <= 1 or b.d[0] <= 1:
        raise Undefined
    return (a - 1) / (a + b - 2)


def beta_kl(a, b, a2, b2):
    return (log_beta(a2, b2) - log_beta(a, b) + (a - a2) * digamma(a) + (b - b2) * digamma(b) +
            (a2 + b2 - a - b) * digamma(a + b))


beta = dict(x=(0.75, 'unit'), a=(1.5, 'positive'), b=(2.25, 'positive'), a2=(0.75, 'positive'), b2=(1.25, 'positive'))
family('Beta', beta, {
    'log_prob': beta_log_prob, 'prob': lambda x, a, b: exp(beta_log_prob(x, a, b)), 'entropy': beta_entropy,
    'perplexity': lambda a, b: exp(beta_entropy(a, b)), 'mean': lambda a, b: a / (a + b), 'mode': beta_mode,
    'variance': beta_variance, 'stddev': lambda a, b: sqrt(beta_variance(a, b)), 'kl_divergence': beta_kl})
# Dirichlet's of two numbers are Beta's.
family('Dirichlet', beta, {
    'log_prob': beta_log_prob, 'entropy': beta_entropy, 'mean': lambda a, b: a / (a + b), 'variance': beta_variance,
    'covariance': lambda a, b: -beta_variance(a, b), 'kl_divergence': beta_kl})

# Categorical: p is (p, 0.25), and (p2, 0.5) for the other; logits are (logit, 0).
family('Categorical', bernoulli, {
    'log_prob': lambda p: log(p), 'prob': lambda p: p, 'entropy': lambda p: -p * log(p) + mp.log(4) / 4,
    'kl_divergence': lambda p, p2: p * log(p / p2) + mp.log(mp.mpf(0.5)) / 4})
family('CategoricalByLogit', bernoulli, {
    'log_prob(1)': lambda logit: -softplus(logit), 'prob(0)': lambda logit: sigmoid(logit), 'entropy': entropy_of_logit,
    'kl_divergence': lambda logit, logit2: (sigmoid(logit) * (softplus(-logit2) - softplus(-logit)) +
                                            sigmoid(-logit) * (softplus(logit2) - softplus(logit)))})

# MultivariateNormal of two numbers: loc (loc, 0.5), scale_tril ((scale, 0), (tril, 1.25)), at (x, 0.25).
plane = dict(real, tril=(0.5, 'all'))
plane_log = lambda x, loc, scale, tril: (
    -square((x - loc) / scale) / 2 - square((-0.25 - tril * (x - loc) / scale) / 1.25) / 2 - log(scale) - mp.log(1.25) - log2pi)
family('MultivariateNormal', plane, {
    'log_prob': plane_log, 'prob': lambda x, loc, scale, tril: exp(plane_log(x, loc, scale, tril)),
    'entropy': lambda scale: log(scale) + mp.log(1.25) + 1 + log2pi,
    'variance': lambda tril: square(tril) + 1.5625, 'covariance': lambda scale, tril: scale * tril,
    'kl_divergence': lambda loc, scale, loc2, scale2: normal_kl(loc, scale, loc2, scale2)})
