# SPDX-License-Identifier: MIT
"""Compares the lines of function_cases with release 5.4.0: check_functions.py FILE. Ends with an error if any differs."""
import sys

import release  # noqa: F401  (the release on this machine's NumPy)
import chainer
import chainer.functions as F  # noqa: F401  (lines name it)
import compare_cases
import numpy as np


def floats(values, shape):
    return np.array(values, 'float64').reshape(shape)


def integers(values, shape):
    return np.array(values, 'int32').reshape(shape)


def same(values, array):
    return np.allclose(np.array(values).reshape(array.shape), array, rtol=1e-9, atol=1e-9, equal_nan=True)


def difference(f, inputs, outputs, gradients, error):
    """The comparison for compare_cases.main()."""
    xs = [chainer.Variable(a) if a.dtype.kind == 'f' else a for a in inputs]
    try:
        ys = f(xs)
        ys = list(ys) if isinstance(ys, (list, tuple)) else [ys]
        slopes = [chainer.Variable(np.cos(np.arange(y.size) * 1.7 + 0.3).reshape(y.shape)) for y in ys]
        expected = chainer.grad(ys, [x for x in xs if isinstance(x, chainer.Variable)], slopes)
    except Exception as e:
        return None if error else f'the release raises {e!r}'
    if error:
        return 'only this library raises an error'
    for (shape, values), y in zip(outputs, ys):
        if y.shape != shape:
            return f'shape {shape}, release {y.shape}'
        if not same(values, y.array):
            return f'{values}, release {y.array.ravel().tolist()}'
    for i, (ours, theirs) in enumerate(zip(gradients, expected)):
        if (ours is None) != (theirs is None):
            return f'gradient {i} is none in one of them'
        if ours is not None and not same(ours, theirs.array):
            return f'gradient {i}: {ours}, release {theirs.array.ravel().tolist()}'
    return ''


if __name__ == '__main__':
    sys.exit(compare_cases.main(difference, globals()))
