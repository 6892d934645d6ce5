"""Compares the lines of array_cases with NumPy: check_arrays.py FILE. Ends with an error if any differs."""
import sys
import warnings

import numpy as np

nan, inf = float('nan'), float('inf')
counts = {'equal': 0, 'an error in both': 0, 'different': 0}


def array(values, dtype, shape):
    return np.array(values, 'float64').astype(dtype).reshape(shape)


def changed(a, at, value):
    a[at] = value
    return a


def added(a, at, value):
    np.add.at(a, at, value)
    return a


def difference(f, dtype, shape, values):
    """A text, or '' where both have the same; None where both raise."""
    try:
        expected = np.asarray(f())
    except Exception as e:
        # Where nothing is selected, NumPy alone looks whether the other positions exist.
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


def main():
    warnings.simplefilter('ignore')
    np.seterr(all='ignore')
    with open(sys.argv[1]) as lines:
        for line in lines:
            def check(*case):
                found = difference(*case)
                counts['an error in both' if found is None else 'different' if found else 'equal'] += 1
                if found:
                    print(f'{line.strip()}\n  {found}')
            exec(line, {**globals(), 'check': check})
    print(', '.join(f'{n} {what}' for what, n in counts.items()))
    return counts['different'] > 0


if __name__ == '__main__':
    sys.exit(main())
