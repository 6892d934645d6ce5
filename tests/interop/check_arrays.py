# SPDX-License-Identifier: MIT
"""Compares the lines of array_cases with NumPy: check_arrays.py FILE. Ends with an error if any differs."""
import sys

import compare_cases
import numpy as np


def array(values, dtype, shape):
    return np.array(values, 'float64').astype(dtype).reshape(shape)


def changed(a, at, value):
    a[at] = value
    return a


def added(a, at, value):
    np.add.at(a, at, value)
    return a


def difference(f, dtype, shape, values):
    """The comparison for compare_cases.main()."""
    try:
        expected = np.asarray(f())
    except Exception as e:
        # If nothing is selected, only NumPy checks the other positions.
        nothing = dtype != 'error' and 0 in shape and isinstance(e, IndexError)
        return None if dtype == 'error' else '' if nothing else f'NumPy raises {e!r}'
    if dtype == 'error':
        # NumPy does not check positions where nothing is selected.
        return '' if expected.size == 0 else 'only this library raises an error'
    if expected.shape != shape:
        return f'shape {shape}, NumPy {expected.shape}'
    # This library has no uint64 for sums.
    if str(expected.dtype) != dtype and (str(expected.dtype), dtype) != ('uint64', 'int64'):
        return f'dtype {dtype}, NumPy {expected.dtype}'
    rounding = {'float16': 4e-3, 'float32': 2e-6}.get(dtype, 1e-12)
    with np.errstate(all='ignore'):
        same = np.allclose(np.array(values, 'float64').reshape(shape), expected.astype('float64'), rtol=rounding,
                           atol=rounding, equal_nan=True)
    return '' if same else f'{values}, NumPy {expected.ravel().tolist()}'


if __name__ == '__main__':
    sys.exit(compare_cases.main(difference, globals()))
