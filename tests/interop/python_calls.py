# SPDX-License-Identifier: MIT
"""Random calls by the manual's signatures with `import chainer`: release 5.4.0 or this project's package.

    python_calls.py SEED COUNT [PROBE...]

Each probe of python_probes/ is a function of a random source and of see(), which notes values, dtypes, shapes, or the
class of an exception. A line of JSON is written for each case; compare_python_calls.py compares two such outputs."""
import collections.abc
import contextlib
import importlib
import io
import json
import os
import sys
import warnings

for _name in ('Iterable', 'Mapping', 'Sequence', 'MutableMapping', 'Callable'):  # the release looks for them there
    setattr(collections, _name, getattr(collections.abc, _name))
import numpy  # NOQA

import chainer  # NOQA
from chainer import testing  # NOQA

PARTS = ('core', 'data', 'distributions', 'links', 'optimizers', 'training', 'utilities')


class Random(object):
    """Random choices of one case."""

    def __init__(self, seed):
        self._r = numpy.random.RandomState(seed)

    def one(self, *choices):
        return choices[self._r.randint(len(choices))]

    def int(self, low, high):
        """An integer from low to high, inclusive."""
        return int(self._r.randint(low, high + 1))

    def chance(self, p):
        return bool(self._r.rand() < p)

    def shape(self, low=0, high=3, most=4):
        return tuple(self.int(1, most) for _ in range(self.int(low, high)))

    def dtype(self):
        return self.one('f', 'f', 'f', 'd', 'e')

    def array(self, shape, dtype='f', low=-2., high=2.):
        if numpy.dtype(dtype).kind == 'f':
            return self._r.uniform(low, high, shape).astype(dtype)
        return self._r.randint(int(low), int(high) + 1, shape).astype(dtype)

    def number(self, low=0., high=1.):
        return float(self._r.uniform(low, high))


def note(x):
    """The properties of a value that are compared."""
    if isinstance(x, chainer.Variable):
        return ['variable', None if x.array is None else note(x.array)]
    if isinstance(x, (numpy.ndarray, numpy.generic)):
        a = numpy.asarray(x)
        if a.dtype.kind in 'OUS':
            return [type(x).__name__, str(a.dtype), [note(v) for v in a.ravel().tolist()]]
        flat = a.astype(complex if a.dtype.kind == 'c' else float).ravel()
        if a.dtype.kind == 'c':
            flat = flat.view(float)
        kept = flat if flat.size <= 200 else flat[:: flat.size // 100]
        return ['array' if isinstance(x, numpy.ndarray) else 'scalar', str(a.dtype), list(a.shape),
                [repr(float(v)) for v in kept]]
    if isinstance(x, float):
        return ['float', repr(x)]
    if x is None or isinstance(x, (bool, int, str)):
        return [type(x).__name__, x]
    if isinstance(x, dict):
        return ['dict', [[str(k), note(x[k])] for k in sorted(x, key=str)]]
    if isinstance(x, (list, tuple)):
        return [type(x).__name__, [note(v) for v in x]]
    if isinstance(x, BaseException):
        return ['error', type(x).__name__]
    if isinstance(x, numpy.dtype):
        return ['dtype', str(x)]
    return ['object', type(x).__name__]


def probes():
    found = {}
    for part in PARTS:
        module = importlib.import_module('python_probes.' + part)
        for name, value in sorted(vars(module).items()):
            if callable(value) and getattr(value, '__module__', None) == module.__name__ and not name.startswith('_'):
                found[part + '.' + name] = value
    return found


def run(probe, seed):
    notes = []

    def see(*values):
        notes.extend([note(v) for v in values])

    def attempt(call, *args, **kwargs):
        """Records the result or the exception of a call; returns the result, or None."""
        try:
            result = call(*args, **kwargs)
        except Exception as e:
            see(e)
            return None
        see(result)
        return result
    see.attempt = attempt
    numpy.random.seed(seed % 2 ** 32)
    dtype = chainer.global_config.dtype
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            with contextlib.redirect_stdout(io.StringIO()):
                probe(Random(seed), see)
    except Exception as e:
        import traceback
        where = traceback.extract_tb(e.__traceback__)
        lines = [f.lineno for f in where if 'python_probes' in f.filename]
        notes.append(['error', type(e).__name__])
        return notes, '%s (line %s)' % (str(e)[:300], lines[-1] if lines else '?')
    finally:
        chainer.global_config.dtype = dtype
    return notes, ''


def main(seed, count, *names):
    every = probes()
    chosen = [n for n in every if not names or any(n.startswith(w) for w in names)]
    for k in range(int(count)):
        name = chosen[k % len(chosen)]
        case = int(seed) * 1000003 + k
        sys.stdout.write(json.dumps([name, case]) + '\n')  # written before the call, which may end the process
        sys.stdout.flush()
        notes, text = run(every[name], case)
        sys.stdout.write(json.dumps([name, case, notes, text]) + '\n')
    sys.stdout.flush()


if __name__ == '__main__':
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    main(*sys.argv[1:])
