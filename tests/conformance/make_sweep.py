"""True values and first and second derivatives of functions and of distributions' methods, from 1e-308 to 1e308 and to
the ends of float32: writes sweep.npz, which tests/functions/sweep_test.cpp reads.

usage: make_sweep.py [BEGINNING...]      (any Python with numpy and mpmath, faster with gmpy2)

With beginnings of names, only functions with such names are computed again, and those that the file lacks.

A function of one number is written once, on Series: a value and its first three derivatives, which the rules of
differentiation carry on. Numbers have 360 digits, and 800 where x is huge or tiny, so that no difference loses what a
float64 shows. The derivatives
are compared with central differences (`check`) before anything is written. Points where a function or a derivative is
not defined are left out.
"""
import functools
import os
import sys
import time

import mpmath as mp
import numpy as np

mp.mp.dps = 800
log2pi = mp.log(2 * mp.pi)


class Undefined(Exception):
    """There is no value or derivative here."""


class Series:
    """A value and three derivatives."""

    def __init__(self, *d):
        self.d = [mp.mpf(v) for v in d] + [mp.mpf(0)] * (4 - len(d))

    def __add__(self, other):
        return Series(*(a + b for a, b in zip(self.d, series(other).d)))

    def __neg__(self):
        return Series(*(-a for a in self.d))

    def __sub__(self, other):
        return self + -series(other)

    def __mul__(self, other):
        a, b = self.d, series(other).d
        return Series(a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2 * a[1] * b[1] + a[0] * b[2],
                      a[3] * b[0] + 3 * (a[2] * b[1] + a[1] * b[2]) + a[0] * b[3])

    def __truediv__(self, other):
        return self * power(series(other), -1)

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return power(self, -1) * other


def series(v):
    return v if isinstance(v, Series) else Series(v)


def elementary(derivatives):
    """A function of a Series from one that gives value and derivatives at a number."""
    @functools.lru_cache(4096)
    def remembered(digits, x, *arguments):
        return derivatives(x, *arguments)

    def f(x, *arguments):
        x = series(x)
        y, g = remembered(mp.mp.dps, x.d[0], *arguments), x.d
        return Series(y[0], y[1] * g[1], y[2] * g[1]**2 + y[1] * g[2],
                      y[3] * g[1]**3 + 3 * y[2] * g[1] * g[2] + y[1] * g[3])
    return f


def positive(x):
    if x <= 0:
        raise Undefined
    return x


def inside(x, low, high):
    if not low < x < high:
        raise Undefined
    return x


def power_derivatives(x, p):
    p = mp.mpf(p)
    if p == int(p):
        out, c = [], mp.mpf(1)
        for k in range(4):
            if c and x == 0 and p - k < 0:
                raise Undefined
            out.append(c * (x ** int(p - k) if c else 0))
            c *= p - k
        return out
    y = positive(x) ** p
    return y, p * y / x, p * (p - 1) * y / x**2, p * (p - 1) * (p - 2) * y / x**3


def gauss(x):
    return mp.exp(-x * x)


def exp_derivatives(x):
    if x and mp.mag(x) > 50000:  # an exponent that has no room: 0, or beyond everything
        if x > 0:
            raise Undefined
        return [mp.mpf(0)] * 4
    return [mp.exp(x)] * 4


def erfc_derivatives(x):
    if x and mp.mag(x) > 50000:
        return mp.mpf(0 if x > 0 else 2), 0, 0, 0
    return mp.erfc(x), *(-2 / mp.sqrt(mp.pi) * gauss(x) * v for v in (1, -2 * x, 4 * x * x - 2))


def log_ndtr_derivatives(x):
    """Where log(ndtr(x)) needs more digits than there are, its asymptotic series."""
    return -x * x / 2 - mp.log(-x) - log2pi / 2 - 1 / x**2, -x - 1 / x, -1 + 1 / x**2, -2 / x**3


def inverse_tail(p):
    """y with erfc(y) = p, 0 < p <= 1."""
    if p == 1:
        return mp.mpf(0)
    with mp.workdps(30):
        if p > 0.1:
            y = mp.erfinv(1 - p)
        else:
            y = mp.findroot(lambda v: mp.log(mp.erfc(v)) - mp.log(p), mp.sqrt(-mp.log(p)) - (0.5 if p > 1e-8 else 0.05))
    y = +mp.mpf(y)
    for _ in range(6 if mp.mp.dps > 400 else 5):  # doubles the digits each time
        y += (mp.erfc(y) - p) * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
    return y


def erfcinv_derivatives(x):
    inside(x, 0, 2)
    y = inverse_tail(x) if x <= 1 else -inverse_tail(2 - x)
    f = -mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
    return y, f, 2 * y * f**2, f**3 * (2 + 8 * y * y)


def lgamma_derivatives(x):
    if x == 0 or (x < 0 and x == mp.floor(x)) or x < -1e5:
        raise Undefined
    return mp.re(mp.loggamma(x)), mp.psi(0, x), mp.psi(1, x), mp.psi(2, x)


def psi_derivatives(x, n):
    if x == 0 or (x < 0 and x == mp.floor(x)) or x < -1e5:
        raise Undefined
    return [mp.psi(n + k, x) for k in range(4)]


def asin_derivatives(x):
    u = 1 - inside(x, -1, 1)**2
    return mp.asin(x), u**-0.5, x * u**mp.mpf(-1.5), (1 + 2 * x * x) * u**mp.mpf(-2.5)


power = elementary(power_derivatives)
exp = elementary(exp_derivatives)
expm1 = elementary(lambda x: [mp.expm1(x)] + [mp.exp(x)] * 3)
log = elementary(lambda x: (mp.log(positive(x)), 1 / x, -1 / x**2, 2 / x**3))
sqrt = elementary(lambda x: power_derivatives(x, 0.5))
sin = elementary(lambda x: (mp.sin(x), mp.cos(x), -mp.sin(x), -mp.cos(x)))
cos = elementary(lambda x: (mp.cos(x), -mp.sin(x), -mp.cos(x), mp.sin(x)))
sinh = elementary(lambda x: (mp.sinh(x), mp.cosh(x)) * 2)
cosh = elementary(lambda x: (mp.cosh(x), mp.sinh(x)) * 2)
atan = elementary(lambda x: (mp.atan(x), 1 / (1 + x * x), -2 * x / (1 + x * x)**2, (6 * x * x - 2) / (1 + x * x)**3))
asin = elementary(asin_derivatives)
erfc = elementary(erfc_derivatives)
far_log_ndtr = elementary(log_ndtr_derivatives)
erfcinv = elementary(erfcinv_derivatives)
lgamma = elementary(lgamma_derivatives)
psi = elementary(psi_derivatives)
digamma = lambda x: psi(x, 0)
sign = lambda x: 1 if series(x).d[0] > 0 else -1
square = lambda x: x * x


def absolute(x):
    if series(x).d[0] == 0:
        raise Undefined
    return x * sign(x)


def maximum(a, b):
    return (a + b + absolute(a - b)) / 2


def relu(x):
    if series(x).d[0] == 0:
        raise Undefined
    return x if series(x).d[0] > 0 else series(0)


def clip(x, low, high):
    v = series(x).d[0]
    if v in (low, high):
        raise Undefined
    return x if low < v < high else series(low if v < low else high)


def steps(f):
    def g(x):
        if x.d[0] == f(x.d[0]):
            raise Undefined
        return series(f(x.d[0]))
    return g


def sigmoid(x):
    return 1 / (1 + exp(-x))


def tanh(x):
    return 1 - 2 / (exp(2 * x) + 1) if series(x).d[0] > 0 else 2 / (exp(-2 * x) + 1) - 1


def softplus(x):
    return log(1 + exp(-absolute(x))) + relu(x) if series(x).d[0] else log(1 + exp(x))


erf = lambda x: -(erfc(x) - 1) if abs(series(x).d[0]) > 1 else Series(mp.erf(x.d[0]), *(-v for v in erfc(x).d[1:]))
ndtr = lambda x: erfc(-x / mp.sqrt(2)) / 2
ndtri = lambda p: -mp.sqrt(2) * erfcinv(2 * p)
log_ndtr = lambda x: far_log_ndtr(x) if series(x).d[0] < -1e15 else log(ndtr(x))
log_sum = lambda *x: log(sum((exp(v) for v in x[1:]), exp(x[0])))
elu = lambda x, a=1: x if x.d[0] > 0 else a * expm1(x) if x.d[0] else absolute(x)


def arctan2(a, b):
    """atan2 from atan of whichever quotient is small."""
    a, b = series(a), series(b)
    x, y = b.d[0], a.d[0]
    if abs(y) <= abs(x):
        return atan(a / b) + (0 if x > 0 else mp.pi if y >= 0 else -mp.pi)
    return -atan(b / a) + (mp.pi / 2 if y > 0 else -mp.pi / 2)


def fmod(a, b):
    a, b = series(a), series(b)
    q = a.d[0] / b.d[0]
    if q == mp.floor(q) and q:
        raise Undefined
    return a - b * (mp.floor(q) if q > 0 else mp.ceil(q))


def lstm(a, i, f, o, c):
    """The cell and the output of an LSTM."""
    cell = tanh(series(a)) * sigmoid(series(i)) + sigmoid(series(f)) * c
    return cell, sigmoid(series(o)) * tanh(cell)


# ---- the functions -------------------------------------------------------------------------------------------------

ends = {np.float32: np.finfo(np.float32), np.float64: np.finfo(np.float64)}
magnitudes = [1e-30, 1e-20, 1e-10, 1e-4, 0.1, 0.5, 1, 1.5, 2, 5, 10, 20, 50, 88, 89, 100, 104, 500, 709, 710, 745, 1e3,
              1e4, 1e20, 1e30]


def points(dtype, where):
    info = ends[dtype]
    sizes = [info.smallest_normal] + magnitudes + [info.max]
    if where in ('unit', 'two'):
        near = [1 - 1e-4, 1 - 1e-6, 1 - info.epsneg, 0.25, 0.75]
        sizes = [v for v in sizes if v < 1] + near + ([1, 1.5, 1.75, 1.9999, 1 + info.eps] if where == 'two' else [])
    if where == 'open':
        sizes = [v for v in sizes if v < 1] + [1 - 1e-4, 1 - 1e-6, 1 - info.epsneg]
    sizes = [dtype(v) for v in sizes]
    if where in ('all', 'open'):
        sizes = [dtype(0)] + sizes + [-v for v in sizes]
    return np.unique(np.array(sizes, dtype))


cases = {}


def case(name, f, where='all'):
    assert name not in cases, name
    cases[name] = (f, where)


for name, f, where in [
        ('absolute', absolute, 'all'), ('arccos', lambda x: mp.pi / 2 - asin(x), 'open'), ('arcsin', asin, 'open'),
        ('arctan', atan, 'all'), ('ceil', steps(mp.ceil), 'all'), ('cos', cos, 'all'), ('cosh', cosh, 'all'),
        ('digamma', digamma, 'all'), ('erf', erf, 'all'), ('erfc', erfc, 'all'), ('erfcinv', erfcinv, 'two'),
        ('erfcx', lambda x: exp(x * x) * erfc(x), 'all'), ('erfinv', lambda x: erfcinv(1 - x), 'open'),
        ('exp', exp, 'all'), ('expm1', expm1, 'all'), ('fix', steps(lambda x: mp.sign(x) * mp.floor(abs(x))), 'all'),
        ('floor', steps(mp.floor), 'all'), ('lgamma', lgamma, 'all'), ('log', log, 'all'),
        ('log10', lambda x: log(x) / mp.log(10), 'all'), ('log1p', lambda x: log(1 + x), 'all'),
        ('log2', lambda x: log(x) / mp.log(2), 'all'), ('log_ndtr', log_ndtr, 'all'), ('ndtr', ndtr, 'all'),
        ('ndtri', ndtri, 'unit'), ('rsqrt', lambda x: power(x, -0.5), 'all'), ('sin', sin, 'all'), ('sinh', sinh, 'all'),
        ('sqrt', sqrt, 'all'), ('square', square, 'all'), ('tan', lambda x: sin(x) / cos(x), 'all'),
        ('crelu', lambda x: relu(x), 'all'), ('elu', elu, 'all'),
        ('hard_sigmoid', lambda x: clip(x / 5 + 0.5, 0, 1), 'all'),
        ('relu', relu, 'all'), ('selu', lambda x: elu(x, mp.mpf(1.6732632423543772)) * mp.mpf(1.0507009873554805), 'all'),
        ('sigmoid', sigmoid, 'all'), ('tanh', tanh, 'all'), ('softplus', softplus, 'all')]:
    case(name + '(x)', f, where)
for n in (0, 1, 2, 5):
    case(f'polygamma({n}, x)', lambda x, n=n: psi(x, n))
case('clip(x, -1, 1.75)', lambda x: clip(x, -1, 1.75))
case('clipped_relu(x, 20)', lambda x: clip(x, 0, 20))
case('elu(x, 0.5)', lambda x: elu(x, mp.mpf(0.5)))
case('leaky_relu(x, 0.25)', lambda x: relu(x) - relu(-x) / 4)
case('prelu(x, 0.25)', lambda x: relu(x) - relu(-x) / 4)
case('prelu(-0.75, x)', lambda x: x * -0.75)
case('softplus(x, 4)', lambda x: softplus(4 * x) / 4)
case('softplus(x, -0.5)', lambda x: softplus(-x / 2) * -2)
case('swish(x, 1.5)', lambda x: x * sigmoid(1.5 * x))
case('swish(1.5, x)', lambda x: 1.5 * sigmoid(1.5 * x))
case('swish(-20, x)', lambda x: -20 * sigmoid(-20 * x))
case('maxout(x, 0.75)', lambda x: maximum(x, 0.75))
case('softmax(x, 0)', sigmoid)
case('softmax(0, x)', lambda x: sigmoid(-x))
case('log_softmax(x, 0)', lambda x: -softplus(-x))
case('log_softmax(0, x)', lambda x: -softplus(x))
for k, gate in enumerate('aifoc'):
    for output in (0, 1):
        case(f'lstm.{"ch"[output]} by {gate}',
             lambda x, k=k, o=output: lstm(*[x if j == k else v for j, v in enumerate((0.75, -0.5, 0.25, 1.5, 0.5))])[o])
case('slstm.h by a', lambda x: sigmoid(series(0.75 * 2)) * tanh(
    (tanh(x) * sigmoid(series(0.75)) + tanh(series(0.75)) * sigmoid(series(0.75))) + sigmoid(series(0.75))))
case('slstm.h by f', lambda x: sigmoid(series(0.75 * 2)) * tanh(
    2 * tanh(series(0.75)) * sigmoid(series(0.75)) + sigmoid(x) / 2 + sigmoid(series(0.75)) / 2))
case('tree_lstm.h by f', lambda x: sigmoid(series(0.75)) * tanh(
    tanh(series(0.75)) * sigmoid(series(0.75)) + sigmoid(x) / 2))

case('x + 0.75', lambda x: x + 0.75)
case('0.75 - x', lambda x: 0.75 - x)
case('x * 0.75', lambda x: x * 0.75)
case('x / 0.75', lambda x: x / mp.mpf(0.75))
case('0.75 / x', lambda x: 0.75 / x)
case('x / y by y', lambda x: 0.75 / x)
for p in (-1, -0.5, 0.25, 0.5, 2, 2.5, 3):
    case(f'x ** {p}', lambda x, p=p: power(x, p))
    case(f'pow(x, y) at {p}', lambda x, p=p: power(x, p), 'positive')
for b in (0.5, 2, 10):
    case(f'{b} ** x', lambda x, b=b: exp(x * mp.log(b)))
    case(f'pow(x, y) of {b}', lambda x, b=b: exp(x * mp.log(b)))
for v in (0.75, -0.75, 1e-20, 1e20):
    w = mp.mpf(float(np.float32(v)))
    case(f'arctan2(x, {v:g})', lambda x, w=w: arctan2(x, w))
    case(f'arctan2({v:g}, x)', lambda x, w=w: arctan2(w, x))
case('average with weights by w', lambda x: (0.75 * x + 0.5) / (x + 0.25), 'positive')
case('batch_l2_norm_squared([x, 0.5])', lambda x: x * x + 0.25)
case('cumprod([x, 0.5, x])[2]', lambda x: x * x / 2)
case('cumsum([x, 0.5])[1]', lambda x: x + 0.5)
case('det([[x, 0.5], [0.25, 2]])', lambda x: 2 * x - 0.125)
case('einsum(x x)', square)
case('matmul(x x)', square)
case('fft(x, 0)[1]', lambda x: x - 0.5)
case('fmod(x, 0.75)', lambda x: fmod(x, 0.75))
case('fmod(10.25, x)', lambda x: fmod(10.25, x))
case('inv([[x, 0.5], [0.25, 2]])[0, 0]', lambda x: 2 / (2 * x - 0.125))
case('linear_interpolate(x, 0.75, -0.5)', lambda x: x * 0.75 - (1 - x) * 0.5)
case('linear_interpolate(0.25, x, -0.5)', lambda x: x / 4 - 0.375)
case('logsumexp([x, 0])', softplus)
case('logsumexp([x, x + 1])', lambda x: x + mp.log(1 + mp.e))
case('maximum(x, 0.75)', lambda x: maximum(x, 0.75))
case('minimum(x, 0.75)', lambda x: -maximum(-x, -0.75))
case('max([x, 0.75])', lambda x: maximum(x, 0.75))
case('prod([x, 0.5, x])', lambda x: x * x / 2)
case('scale(x, 0.75)', lambda x: x * 0.75)
case('squared_difference(x, 0.75)', lambda x: square(x - 0.75))
case('sum([x, 0.75])', lambda x: x + 0.75)
case('where(x < 0, x, 0.75 x)', lambda x: relu(x) * 0.75 - relu(-x))

case('absolute_error(x, 0.75)', lambda x: absolute(x - 0.75))
case('bernoulli_nll(0.75, x)', lambda x: softplus(-x) + x / 4)
case('bernoulli_nll(1, x)', lambda x: softplus(-x))
case('bernoulli_nll(x, 0.75)', lambda x: softplus(series(0.75)) - 0.75 * x)
case('black_out by the target', lambda x: softplus(-x) - log(1 - 1 / (1 + exp(x))))
case('black_out by a sample', lambda x: softplus(x) - log(1 - 1 / (1 + exp(-x))))
case('contrastive alike', lambda x: square(x - 0.75) / 2)
case('contrastive apart', lambda x: square(relu(1 - absolute(x - 0.75))) / 2)
case('connectionist_temporal_classification', lambda x: -log(1 - square(1 / (1 + exp(-x)))))
case('crf1d by cost', lambda x: log_sum(x, *[series(0)] * 3) - x)
case('crf1d by xs', lambda x: log_sum(x, x, series(0), series(0)))
case('cross_covariance', lambda x: square(x) / 2)
case('decov', lambda x: square(x) / 4)
case('gaussian_kl_divergence(x, 0.75)', lambda x: (x * x + mp.exp(0.75) - 1.75) / 2)
case('gaussian_kl_divergence(0.75, x)', lambda x: (0.5625 + expm1(x) - x) / 2)
case('gaussian_nll(x, 0.75, 0.5)', lambda x: (log2pi + 0.5 + square(x - 0.75) * mp.exp(-0.5)) / 2)
case('gaussian_nll(0.75, x, 0.5)', lambda x: (log2pi + 0.5 + square(x - 0.75) * mp.exp(-0.5)) / 2)
case('gaussian_nll(0.75, 0.5, x)', lambda x: (log2pi + x + exp(-x) / 16) / 2)
case('gaussian_nll(1e4, 0, x)', lambda x: (log2pi + x + exp(-x) * 10**8) / 2)
case('hinge L1', lambda x: relu(1 - x) + relu(1 + series(0.5)))
case('hinge L2', lambda x: square(relu(1 - x)) + 2.25)
case('huber_loss(x, 0.75, 1)', lambda x: absolute(x - 0.75) - 0.5 if abs(x.d[0] - 0.75) > 1 else square(x - 0.75) / 2)
case('mean_absolute_error(x, 0.75)', lambda x: absolute(x - 0.75))
case('mean_squared_error(x, 0.75)', lambda x: square(x - 0.75))
case('negative_sampling', lambda x: softplus(-x) + softplus(series(x)))
case('sigmoid_cross_entropy(x, 0)', softplus)
case('sigmoid_cross_entropy(x, 1)', lambda x: softplus(-x))
case('softmax_cross_entropy([x, 0], 0)', lambda x: softplus(-x))
case('softmax_cross_entropy([x, 0], 1)', softplus)
case('squared_error(x, 0.75)', lambda x: square(x - 0.75))
case('triplet by anchor', lambda x: relu(square(x - 0.75) - square(x - 0.5) + 0.25))
case('triplet by positive', lambda x: relu(square(x - 0.75) - 0.0625 + 0.25))
case('triplet by negative', lambda x: relu(0.0625 - square(x - 0.75) + 0.25))
case('gaussian(x, 0.75)', lambda x: x + mp.exp(0.375) * 0.5)
case('gaussian(0.75, x)', lambda x: 0.75 + exp(x / 2) * 0.5)

mean2 = lambda x, y: (x + y) / 2
case('normalize([x, 0.5])[0]', lambda x: x / (sqrt(x * x + 0.25) + mp.mpf(1e-5)))
case('normalize([x, 0.5])[1]', lambda x: 0.5 / (sqrt(x * x + 0.25) + mp.mpf(1e-5)))
standard = lambda x, eps: (x - 0.5) / 2 / sqrt(square((x - 0.5) / 2) + mp.mpf(eps))
case('layer_normalization([x, 0.5])[0]', lambda x: standard(x, 1e-5) * 1.5 + 0.25)
case('group_normalization([x, 0.5])[0]', lambda x: standard(x, 1e-5) * 1.5 + 0.25)
case('batch_normalization([x, 0.5])[0]', lambda x: standard(x, 2e-5) * 1.5 + 0.25)
case('fixed_batch_normalization by x', lambda x: (x - 0.5) / mp.sqrt(1.5 + mp.mpf(2e-5)) * 1.5 + 0.25)
case('fixed_batch_normalization by mean', lambda x: (0.75 - x) / mp.sqrt(1.5 + mp.mpf(2e-5)) * 1.5 + 0.25)
case('fixed_batch_normalization by var', lambda x: 0.25 / sqrt(x + mp.mpf(2e-5)) * 1.5 + 0.25, 'positive')
case('local_response_normalization(x)', lambda x: x * power(2 + mp.mpf(1e-4) * x * x, -0.75))

# ---- the distributions ---------------------------------------------------------------------------------------------


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


# ---- the file ------------------------------------------------------------------------------------------------------


def evaluated(f, x):
    """Value and three derivatives at a number; None where they do not exist."""
    try:
        with mp.workdps(360 if 1e-31 < abs(x) < 1e31 or x == 0 else 800):
            return series(f(Series(x, 1))).d
    except (Undefined, ZeroDivisionError, OverflowError):
        return None


def check():
    """The rules of differentiation against central differences, and some derivatives that are known."""
    for name, f, x, known in [
            ('log_ndtr', log_ndtr, -20, None), ('tanh', tanh, 3, None), ('beta_kl', lambda a: beta_kl(*map(series, (a, 2, 3, 4))), 5, None),
            ('ndtri', ndtri, 1e-20, None), ('erfinv', lambda x: erfcinv(1 - x), 0.3, None), ('asin', asin, 0.6, None),
            ('lgamma', lgamma, -2.25, None), ('arctan2', lambda x: arctan2(series(-0.75), x), -3, None),
            ('exp', exp, 1e-30, [1 + mp.mpf(1e-30)] * 3), ('rsqrt', lambda x: power(x, -0.5), 4, [0.5, -1 / 16., 3 / 128.]),
            ('softplus', softplus, 100, [100, 1, mp.exp(-100)]), ('log_cdf', lambda x: log(laplace_below(x)), 50, None)]:
        x = mp.mpf(x)
        d = evaluated(f, x)
        h = abs(x) * mp.mpf(10)**-40
        y = [evaluated(f, x + k * h)[0] for k in (-1, 0, 1)]
        differences = [y[1], (y[2] - y[0]) / (2 * h), (y[2] - 2 * y[1] + y[0]) / h**2]
        for k in range(3):
            assert abs(d[k] - differences[k]) <= 1e-40 * abs(d[k]) + mp.mpf(10)**-300, (name, k, d[k], differences[k])
            if known:
                assert abs(d[k] - known[k]) <= 1e-15 * abs(d[k]), (name, k, d[k], known[k])


def nearest(v, dtype):
    try:
        v = float(v)
    except OverflowError:
        v = mp.sign(v) * np.inf
    with np.errstate(over='ignore', under='ignore'):
        return dtype(v)


def table(dtype, name):
    f, where = cases[name]
    rows = []
    for x in points(dtype, where):
        d = evaluated(f, mp.mpf(float(x)))
        if d is not None and not any(mp.isnan(v) for v in d):
            rows.append([x] + [nearest(v, dtype) for v in d])
    assert rows, name
    return np.array(rows, dtype).T.copy()


def load(path):
    """The tables of a file by dtype and name."""
    if not os.path.exists(path):
        return {}
    data, out = np.load(path), {}
    for dtype in ('float32', 'float64'):
        ends_at = np.cumsum(data[dtype + '/counts'])
        names = bytes(data['names']).decode().split('\n')
        for name, rows in zip(names, np.split(data[dtype + '/table'], ends_at[:-1], axis=1)):
            out[dtype, name] = rows
    return out


def save(path, out):
    """Few members, so that the file is small: names, a line each; columns of all tables side by side, and their counts."""
    names = sorted({name for _, name in out}, key=list(cases).index)
    members = {'names': np.frombuffer('\n'.join(names).encode(), np.uint8)}
    for dtype in ('float32', 'float64'):
        tables = [out[dtype, name] for name in names]
        members[dtype + '/counts'] = np.array([t.shape[1] for t in tables])
        members[dtype + '/table'] = np.concatenate(tables, axis=1)
    np.savez_compressed(path, **members)


def main():
    check()
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'sweep.npz')
    known, out, saved = load(path), {}, time.time()
    for name in cases:
        again = any(name.startswith(b) for b in sys.argv[1:])
        for dtype in ('float32', 'float64'):
            key = dtype, name
            out[key] = known[key] if key in known and not again else table(getattr(np, dtype), name)
        if time.time() - saved > 20:  # a run that is broken off goes on from here
            save(path, {**{k: v for k, v in known.items() if k[1] in cases}, **out})
            saved = time.time()
    save(path, out)
    print(len(cases), 'functions,', sum(a.shape[1] for a in out.values()), 'points')


if __name__ == '__main__':
    main()
