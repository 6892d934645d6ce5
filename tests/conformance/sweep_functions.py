# SPDX-License-Identifier: MIT
"""The functions of make_sweep.py: cases, name: (function of a Series, where)."""
import mpmath as mp
import numpy as np

from sweep_series import *  # noqa: F403

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
