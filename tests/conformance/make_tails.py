"""Values, first and second derivatives of functions of one number over -1e4 ... 1e4 and at the ends of each dtype, from
an independent source, mpmath: writes tails.npz, which tests/functions/tails_test.cpp reads.

usage: make_tails.py      (any Python with numpy and mpmath; takes some minutes)

A key is the function in the words of the table of functions (tests/functions/rows/), or of tails_test.cpp. Points at
which a function is not smooth, or outside of its domain, are left out; what exceeds float64 is stored as infinity.
"""
import os

import mpmath as mp
import numpy as np

mp.mp.dps = 60
inf = mp.inf


def erfcinv(x):
    if not 0 < x < 2:
        return None
    if x == 1:
        return mp.mpf(0)
    if x > 1:
        return -erfcinv(2 - x)
    if x > mp.mpf('0.01'):
        return mp.erfinv(1 - x)
    return mp.findroot(lambda y: mp.log(mp.erfc(y)) - mp.log(x), mp.sqrt(-mp.log(x)))


def positive(f):
    return lambda x: f(x) if x > 0 else None


def inside(f, low, high):
    return lambda x: f(x) if low < x < high else None


def away(f, *kinks):
    return lambda x: None if x in kinks else f(x)


def no_pole(f):
    return lambda x: None if x <= 0 and x == mp.floor(x) else f(x)


def lgamma(x):
    return mp.re(mp.loggamma(x))


def erfcx(x):
    return mp.exp(x * x) * mp.erfc(x)


def log_erfc(x):
    return mp.log(mp.erfc(x))


def log_ndtr(x):
    return log_erfc(-x / mp.sqrt(2)) - mp.log(2)


def sigmoid(x):
    return 1 / (1 + mp.exp(-x))


def softplus(x):
    return mp.log1p(mp.exp(x)) if x < 0 else x + mp.log1p(mp.exp(-x))


def elu(a):
    return away(lambda x: x if x > 0 else a * mp.expm1(x), 0)


def selu(x):
    return mp.mpf(1.0507009873554804934193349852946) * (x if x > 0 else mp.mpf(1.6732632423543772848170429916717) * mp.expm1(x))


def clip(low, high):
    return away(lambda x: min(max(x, mp.mpf(low)), mp.mpf(high)), mp.mpf(low), mp.mpf(high))


def leaky(slope):
    return away(lambda x: x if x > 0 else mp.mpf(slope) * x, 0)


def huber(x):
    return x * x / 2 if abs(x) < 1 else abs(x) - mp.mpf(1) / 2


def laplace_cdf(x):
    return mp.exp(x) / 2 if x < 0 else 1 - mp.exp(-x) / 2


def laplace_log_cdf(x):
    return x - mp.log(2) if x < 0 else mp.log1p(-mp.exp(-x) / 2)


half_log_2pi = mp.log(2 * mp.pi) / 2
density = lambda x: mp.exp(-x * x / 2 - half_log_2pi)
functions = {
    # The table of functions.
    'F.absolute(x[0])': away(abs, 0), 'F.arccos(x[0])': inside(mp.acos, -1, 1), 'F.arcsin(x[0])': inside(mp.asin, -1, 1),
    'F.arctan(x[0])': mp.atan, 'F.cos(x[0])': mp.cos, 'F.cosh(x[0])': mp.cosh, 'F.erf(x[0])': mp.erf,
    'F.erfc(x[0])': mp.erfc, 'F.exp(x[0])': mp.exp, 'F.expm1(x[0])': mp.expm1, 'F.log(x[0])': positive(mp.log),
    'F.log10(x[0])': positive(mp.log10), 'F.log1p(x[0])': inside(mp.log1p, -1, inf),
    'F.log2(x[0])': positive(lambda x: mp.log(x) / mp.log(2)), 'F.rsqrt(x[0])': positive(lambda x: 1 / mp.sqrt(x)),
    'F.sqrt(x[0])': positive(mp.sqrt), 'F.sin(x[0])': mp.sin, 'F.sinh(x[0])': mp.sinh, 'F.tan(x[0])': mp.tan,
    'F.tanh(x[0])': mp.tanh, 'F.square(x[0])': lambda x: x * x, 'F.relu(x[0])': leaky(0),
    'F.leaky_relu(x[0])': leaky(0.2), 'F.leaky_relu(x[0], 0.05)': leaky(0.05), 'F.elu(x[0])': elu(1),
    'F.elu(x[0], alpha=0.3)': elu(mp.mpf(0.3)), 'F.selu(x[0])': away(selu, 0), 'F.sigmoid(x[0])': sigmoid,
    'F.softplus(x[0])': softplus, 'F.softplus(x[0], beta=2.5)': lambda x: softplus(x * mp.mpf(2.5)) / mp.mpf(2.5),
    'F.clipped_relu(x[0], 1.5)': clip(0, 1.5), 'F.clip(x[0], -0.7, 0.9)': clip(-0.7, 0.9),
    'F.hard_sigmoid(x[0])': away(lambda x: min(max(mp.mpf(0.2) * x + mp.mpf(0.5), mp.mpf(0)), mp.mpf(1)), -2.5, 2.5),
    'F.digamma(x[0])': no_pole(mp.digamma), 'F.lgamma(x[0])': no_pole(lgamma), 'F.erfcinv(x[0])': erfcinv,
    'F.erfinv(x[0])': inside(lambda x: mp.sign(x) * erfcinv(1 - abs(x)), -1, 1), 'F.erfcx(x[0])': erfcx,
    'F.log_ndtr(x[0])': log_ndtr, 'F.ndtr(x[0])': lambda x: mp.erfc(-x / mp.sqrt(2)) / 2,
    'F.ndtri(x[0])': inside(lambda p: -mp.sqrt(2) * erfcinv(2 * p), 0, 1),
    # More functions, of one number each.
    'polygamma(1, x)': no_pole(lambda x: mp.psi(1, x)), 'polygamma(2, x)': no_pole(lambda x: mp.psi(2, x)),
    'swish(x, 1)': lambda x: x * sigmoid(x), '1 / x': away(lambda x: 1 / x, 0), 'x ** 3': lambda x: x ** 3,
    'x ** 0.5': positive(mp.sqrt), 'x ** -1.5': positive(lambda x: x ** mp.mpf(-1.5)), '2 ** x': lambda x: mp.mpf(2) ** x,
    'arctan2(x, 1)': mp.atan, 'arctan2(1, x)': away(lambda x: mp.atan2(1, x), 0), 'logsumexp([x, 0])': softplus,
    'softmax([x, 0])': sigmoid, 'log_softmax([x, 0])': lambda x: -softplus(-x),
    'sigmoid_cross_entropy(x, 1)': lambda x: softplus(-x), 'sigmoid_cross_entropy(x, 0)': softplus,
    'softmax_cross_entropy([x, 0], 0)': lambda x: softplus(-x), 'huber_loss(x, 0, 1)': away(huber, -1, 1),
    'bernoulli_nll(1, x)': lambda x: softplus(-x), 'squared_error(x, 1)': lambda x: (x - 1) ** 2,
    'gaussian_kl_divergence(1, x)': lambda x: (1 + mp.exp(x) - x - 1) / 2,
    'gaussian_nll(1, 0, x)': lambda x: half_log_2pi + x / 2 + mp.exp(-x) / 2,
    # Methods of distributions, of the standard ones where nothing else is said.
    'Normal.log_prob': lambda x: -x * x / 2 - half_log_2pi, 'Normal.prob': density,
    'Normal.cdf': lambda x: mp.erfc(-x / mp.sqrt(2)) / 2, 'Normal.log_cdf': log_ndtr,
    'Normal.survival_function': lambda x: mp.erfc(x / mp.sqrt(2)) / 2, 'Normal.log_survival_function': lambda x: log_ndtr(-x),
    'Normal.icdf': inside(lambda p: -mp.sqrt(2) * erfcinv(2 * p), 0, 1),
    'Laplace.log_prob': away(lambda x: -abs(x) - mp.log(2), 0), 'Laplace.prob': away(lambda x: mp.exp(-abs(x)) / 2, 0),
    'Laplace.cdf': away(laplace_cdf, 0), 'Laplace.log_cdf': away(laplace_log_cdf, 0),
    'Laplace.survival_function': away(lambda x: laplace_cdf(-x), 0),
    'Laplace.log_survival_function': away(lambda x: laplace_log_cdf(-x), 0),
    'Laplace.icdf': inside(away(lambda p: mp.log(2 * p) if p < 0.5 else -mp.log(2 - 2 * p), 0.5), 0, 1),
    'LogNormal.log_prob': positive(lambda x: -mp.log(x) ** 2 / 2 - mp.log(x) - half_log_2pi),
    'LogNormal.prob': positive(lambda x: density(mp.log(x)) / x),
    'LogNormal.cdf': positive(lambda x: mp.erfc(-mp.log(x) / mp.sqrt(2)) / 2),
    'LogNormal.log_cdf': positive(lambda x: log_ndtr(mp.log(x))),
    'LogNormal.survival_function': positive(lambda x: mp.erfc(mp.log(x) / mp.sqrt(2)) / 2),
    'LogNormal.log_survival_function': positive(lambda x: log_ndtr(-mp.log(x))),
    'LogNormal.icdf': inside(lambda p: mp.exp(-mp.sqrt(2) * erfcinv(2 * p)), 0, 1),
    'Beta(2, 3).log_prob': inside(lambda x: mp.log(x) + 2 * mp.log1p(-x) + mp.log(12), 0, 1),
    'Beta(2, 3).prob': inside(lambda x: 12 * x * (1 - x) ** 2, 0, 1),
    'Bernoulli(logit=x).log_prob(1)': lambda x: -softplus(-x), 'Bernoulli(logit=x).log_prob(0)': lambda x: -softplus(x),
    'Bernoulli(logit=x).entropy': lambda x: softplus(x) - x * sigmoid(x) if x > 0 else softplus(x) - x * sigmoid(x),
    'Uniform(-1, 2).cdf': away(lambda x: min(max((x + 1) / 3, mp.mpf(0)), mp.mpf(1)), -1, 2),
}
magnitudes = [1e-8, 1e-5, 1e-3, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 1, 1.1, 1.5, 2, 2.7, 3.4, 5, 6.5, 8, 9.3, 10, 11.1, 13, 14.5,
              17, 20, 25, 27.3, 30, 38, 45, 60, 80, 88, 89.5, 100, 104, 150, 200, 300, 500, 700, 709.5, 745, 750, 1000,
              3000, 1e4]


def points(dtype):
    ends = np.finfo(dtype)
    wide = [1e-300, 1e-150, 1e-100, 1e-40, 1e-30, 1e-20, 1e-12, 1e5, 1e6, 1e10, 1e15, 1e19, 1e25, 1e38, 1e60, 1e100, 1e150,
            1e154, 1e200, 1e300]
    x = np.array([m for m in magnitudes + wide if float(ends.tiny) <= m <= float(ends.max)] +
                 [float(ends.tiny), float(ends.max), float(ends.max) / 4, float(1 - ends.epsneg), float(1 + ends.eps)])
    return np.unique(np.concatenate([x, -x]).astype(dtype))


# The value and two derivatives: differences of a step that is small beside x and beside 1, with digits to spare.
def derivatives(f, x):
    at = f(x)
    if at is None:
        return None
    size = abs(x)
    exponent = int(mp.floor(mp.log10(size)))
    with mp.workdps(200 + 3 * max(exponent, 0)):
        step = mp.mpf(10) ** (min(exponent, 0) - 40 - max(exponent, 0) * 0)
        low, here, high = f(x - step), f(x), f(x + step)
        if low is None or high is None:
            return None
        return here, (high - low) / (2 * step), (high - 2 * here + low) / step ** 2


def number(v):
    v = mp.re(v)
    return float(v) if mp.isfinite(v) and abs(v) < mp.mpf(2) ** 1024 else float('nan') if mp.isnan(v) else float(mp.sign(v)) * float('inf')


def main():
    out = {}
    with np.errstate(all='ignore'):
        for key, f in functions.items():
            for dtype in (np.float16, np.float32, np.float64):
                rows = []
                for p in points(dtype):
                    try:
                        d = derivatives(f, mp.mpf(float(p)))
                    except (mp.libmp.NoConvergence, ValueError, OverflowError, ZeroDivisionError, MemoryError):
                        continue
                    if d is not None:
                        rows.append([float(p)] + [number(v) for v in d])
                out[f'{key}/{np.dtype(dtype).name}'] = np.array(rows)
            print(key, [len(out[f'{key}/{d}']) for d in ('float16', 'float32', 'float64')], flush=True)
    np.savez_compressed(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'tails.npz'), **out)


main()
