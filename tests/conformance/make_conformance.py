# SPDX-License-Identifier: MIT
"""Runs the table of functions through release 5.4.0 and writes functions.npz, which the C++ tests read.

usage: make_conformance.py FUNCTIONS_TESTS_PROGRAM      (with the Python of ../interop/release.py)

The program writes the rows' inputs; each row's words are then evaluated on them in float64: results (y), gradients for
random output gradients (gx), and the derivatives of sum(gx * ggx) by inputs and output gradients (gg), where the
release has second derivatives.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'interop'))
from release import *  # noqa: E402

np = numpy


def text_member(text):
    """Returns text for the C++ reader: a 0-d array of str."""
    return numpy.array(text)


def run(key, python, differentiable, cases, out):
    def inputs(head):
        found = []
        while f'{key}{head}{len(found)}' in cases.files:
            found.append(cases[f'{key}{head}{len(found)}'])
        return found
    arrays = inputs('x')
    out[key + 'python'] = text_member(python)
    for i, a in enumerate(arrays):
        out[f'{key}x{i}'] = a
    x = [chainer.Variable(a) if a.dtype.kind == 'f' else chainer.Variable(a, requires_grad=False) for a in arrays]
    y = eval(python, {'F': F, 'np': np, 'x': x, 'chainer': chainer})
    ys = list(y) if isinstance(y, (tuple, list)) else [y]
    for i, v in enumerate(ys):
        out[f'{key}y{i}'] = v.array
    if not differentiable:
        return 'forward only'
    gy = [chainer.Variable(g) for g in inputs('gy')]
    for i, g in enumerate(gy):
        out[f'{key}gy{i}'] = g.array.copy()  # some of the release's gradients are computed in place
    floating = [v for v in x if v.dtype.kind == 'f']
    try:
        gx = chainer.grad(ys, floating, gy, enable_double_backprop=True)
        second = True
    except RuntimeError as e:
        if 'double backpropagation' not in str(e):
            raise
        gx = chainer.grad(ys, floating, gy)
        second = False
    for i, g in enumerate(gx):
        if g is not None:
            out[f'{key}gx{i}'] = g.array
    if not second:
        return 'first order only'
    try:
        ggx = inputs('ggx')
        total = sum(F.sum(g * w) for g, w in zip(gx, ggx))
        gg = chainer.grad([total], floating + gy)
    except Exception as e:
        return f'no second order: {type(e).__name__}'
    for i, w in enumerate(ggx):
        out[f'{key}ggx{i}'] = w
    for i, g in enumerate(gg):
        if g is not None:
            out[f'{key}gg{i}'] = g.array
    return ''


def main():
    out, failed = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], 'write_cases'], check=True, env={**os.environ, 'CONFORMANCE_OUT': folder})
        cases = numpy.load(folder + '/cases.npz')
        for line in open(folder + '/cases.tsv'):
            key, python, differentiable = line.rstrip('\n').split('\t')
            try:
                note = run(key, python, differentiable == '1', cases, out)
            except Exception as e:
                failed += 1
                note = f'FAILED: {type(e).__name__}: {e}'
            if note:
                print(f'{key[:-1]:28s} {python}: {note}')
    numpy.savez_compressed(HERE + '/functions.npz', **out)
    print(f'{len(out)} arrays in functions.npz, {failed} rows failed')
    return failed > 0


sys.exit(main())
