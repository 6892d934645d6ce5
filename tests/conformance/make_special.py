# SPDX-License-Identifier: MIT
"""Values of the special functions from an independent source, mpmath with 60 digits: writes special.npz, which the C++
tests read.

usage: make_special.py      (any Python with numpy and mpmath)
"""
import os

import mpmath as mp
import numpy as np

mp.mp.dps = 60


def erfcinv(x):
    if x == 1:
        return mp.mpf(0)
    if x > 1:
        return -erfcinv(2 - x)
    if x > mp.mpf('0.01'):
        return mp.erfinv(1 - x)
    return mp.findroot(lambda y: mp.log(mp.erfc(y)) - mp.log(x), mp.sqrt(-mp.log(x)))


tails = np.concatenate([10.0 ** -np.arange(1, 300, 7.3), np.linspace(0.02, 0.98, 25)])
line = np.concatenate([np.linspace(-8, 8, 81), [-1e-9, 1e-300, 1e-8, 1e-4, 12.5, 25.9, 27.0]])
wide = np.concatenate([line, [-25.5, -13.0, 40.0, 1e3, 1e8, 1e150]])
gamma = np.concatenate([np.linspace(-9.9, -0.1, 50), 10.0 ** np.arange(-300, 300, 20.7), np.linspace(0.1, 30, 60), [1.4616321449683622]])
gamma = gamma[(gamma > 0) | (gamma != np.floor(gamma))]
functions = {
    'digamma': (mp.digamma, gamma),
    'lgamma': (lambda x: mp.log(abs(mp.gamma(x))) if abs(x) < 1e3 else mp.loggamma(x), gamma),
    'erfinv': (lambda x: mp.sign(x) * erfcinv(1 - abs(x)), np.concatenate([-tails, tails, 1 - 10.0 ** -np.arange(1, 16)])),
    'erfcinv': (erfcinv, np.concatenate([tails, 2 - tails[tails > 1e-15], [1e-307]])),
    'erfcx': (lambda x: mp.exp(x * x) * mp.erfc(x), wide),
    'ndtr': (mp.ncdf, np.concatenate([line, [-37.0, -30.0, -15.0]])),
    'ndtri': (lambda p: -mp.sqrt(2) * erfcinv(2 * p), np.concatenate([tails, 1 - 10.0 ** -np.arange(1, 16)])),
    'log_ndtr': (lambda x: mp.log(mp.erfc(-x / mp.sqrt(2)) / 2), np.concatenate([line, [-1e8, -1e3, -40.0, -20.0]])),
}
out = {}
for name, (f, points) in functions.items():
    points = np.unique(points)
    out[name + '/x'] = points
    out[name + '/y'] = np.array([float(f(mp.mpf(float(p)))) for p in points])
pairs = [(n, x) for n in range(0, 13) for x in list(np.linspace(0.07, 20, 40)) + [1e-3, 1e4] + ([-0.5, -1.3, -2.9, -7.1] if n < 6 else [])]
out['polygamma/n'] = np.array([n for n, _ in pairs])
out['polygamma/x'] = np.array([x for _, x in pairs])
out['polygamma/y'] = np.array([float(mp.psi(n, mp.mpf(float(x)))) for n, x in pairs])
np.savez_compressed(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'special.npz'), **out)
