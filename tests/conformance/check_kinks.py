# SPDX-License-Identifier: MIT
"""Compares docs/kinks.md with the release: run it with the release's Python (see tests/interop/release.py).

usage: tests/conformance/check_kinks.py
"""
import os
import sys
import warnings

import chainer
import chainer.functions as F
import numpy as np

warnings.filterwarnings('ignore')
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'docs', 'kinks.md')


def numbers(text):
    return None if text == 'none' else [float(v) for v in text.strip('[]').split(',')]


bad = count = 0
for line in open(PAGE):
    if not line.startswith('| `'):
        continue
    call, arguments, gradients, _ = [cell.strip() for cell in line.strip().strip('|').split('|')]
    x = [chainer.Variable(np.array(eval(a), dtype='d')) for a in arguments.split(';')]
    F.sum(eval(call.strip('`'), {'F': F, 'np': np, 'x': x})).backward()
    count += 1
    for v, text in zip(x, gradients.split(';')):
        expected = numbers(text.strip())
        if (v.grad is None) != (expected is None) or (
                expected is not None and not np.allclose(v.grad.ravel(), expected, 1e-10, 1e-10, equal_nan=True)):
            print(call, 'is', v.grad, 'in the release, not', text)
            bad += 1
print(count, 'rows,', bad, 'gradients differ')
sys.exit(bad > 0)
