# SPDX-License-Identifier: MIT
"""True values and first and second derivatives of functions and of distributions' methods, from 1e-308 to 1e308 and to
the ends of float32: writes sweep.npz, which tests/functions/sweep_test.cpp reads.

usage: make_sweep.py [BEGINNING...]      (any Python with numpy and mpmath, faster with gmpy2)

With beginnings of names, only functions with such names are computed again, and those that the file lacks.

A function of one number is written once, on Series: a value and its first three derivatives, which the rules of
differentiation carry on. Numbers have 360 digits, and 800 where x is huge or tiny, so that no difference loses what a
float64 shows. The derivatives are compared with central differences (`check`) before anything is written. Points where a
function or a derivative is not defined are left out. (sweep_series.py has the rules, sweep_functions.py and
sweep_distributions.py the functions.)
"""
import os
import sys
import time

import mpmath as mp
import numpy as np

from sweep_distributions import *  # noqa: F403

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
