# SPDX-License-Identifier: MIT
"""Values with three derivatives, carried on by the rules of differentiation: what make_sweep.py is written in."""
import functools

import mpmath as mp

mp.mp.dps = 800
log2pi = mp.log(2 * mp.pi)


class Undefined(Exception):
    """The value or a derivative does not exist."""


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
    """The asymptotic series of log(ndtr(x)), for arguments at which direct evaluation needs too many digits."""
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
    """atan2 by atan of the smaller quotient."""
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
