# SPDX-License-Identifier: MIT
"""Vectorized functions, with those of the C library and, in wheels of scripts/wheels, without them."""
import os
import subprocess
import sys

import pytest

PROGRAM = '''
import math
import numpy as np
import chainer.functions as F

RANGES = {'exp': (-80, 80), 'expm1': (-3, 3), 'log': (1e-3, 50), 'log2': (1e-3, 50), 'log10': (1e-3, 50),
          'log1p': (-.9, 50), 'sin': (-9, 9), 'cos': (-9, 9), 'tan': (-1.5, 1.5), 'arcsin': (-1, 1), 'arccos': (-1, 1),
          'arctan': (-9, 9), 'sinh': (-9, 9), 'cosh': (-9, 9), 'tanh': (-9, 9), 'erf': (-4, 4), 'erfc': (-4, 4)}
for dtype, tolerance in ('f', 1e-5), ('d', 1e-13):
    for name, (low, high) in RANGES.items():
        x = np.linspace(low, high, 1003).astype(dtype)
        expected = [getattr(math, {'arcsin': 'asin', 'arccos': 'acos', 'arctan': 'atan'}.get(name, name))(v) for v in x]
        np.testing.assert_allclose(getattr(F, name)(x).array, expected, tolerance, tolerance, err_msg=name + dtype)
    a, b = np.linspace(-2, 2, 1003).astype(dtype), np.linspace(3, -4, 1003).astype(dtype)
    expected = np.arctan2(a.astype('d'), b.astype('d'))
    np.testing.assert_allclose(F.arctan2(a, b).array, expected, tolerance, tolerance)
'''


@pytest.mark.parametrize('libmvec', ['1', '0'])
def test_values(libmvec):
    subprocess.run([sys.executable, '-c', PROGRAM], env=dict(os.environ, CHAINER_LIBMVEC=libmvec), check=True)
