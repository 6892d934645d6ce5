# SPDX-License-Identifier: MIT
"""Runs batch normalization links of release 5.4.0 and writes normalization.npz, which the C++ tests read.

usage: make_normalization.py      (with the Python of ../interop/release.py)

Each case: results, gradients, statistics and parameters after two batches in training, one in fine-tuning and one in
test mode.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'interop'))
from release import *  # noqa: E402


def main():
    r = numpy.random.RandomState(3)
    out = {'x0': r.randn(3, 4, 2, 3) * 2 + 1, 'x1': r.randn(3, 4, 2, 3) - 1, 'x2': r.randn(3, 4, 2, 3), 'gy': r.randn(3, 4, 2, 3)}
    out = {k: v.astype('f') for k, v in out.items()}
    cases = {
        'plain': lambda: L.BatchNormalization(4),
        'options': lambda: L.BatchNormalization(4, decay=0.6, eps=0.1, initial_gamma=2, initial_beta=-1, initial_avg_mean=3, initial_avg_var=0.5),
        'no_gamma': lambda: L.BatchNormalization(4, use_gamma=False), 'no_beta': lambda: L.BatchNormalization(4, use_beta=False),
        'wide': lambda: L.BatchNormalization((4, 2, 3)), 'axis': lambda: L.BatchNormalization(axis=(0, 3)),
        'renormalization': lambda: L.BatchRenormalization(4, rmax=1.5, dmax=0.25, decay=0.7),
    }
    for name, make in cases.items():
        link = make()
        for i in range(2):
            x = chainer.Variable(out[f'x{i}'])
            link.cleargrads()
            y = link(x)
            y.grad = out['gy'].copy()
            y.backward()
            out[f'{name}/y{i}'], out[f'{name}/gx{i}'] = y.array, x.grad
        for path, p in link.namedparams():
            out[f'{name}{path}_grad'] = p.grad
        with chainer.using_config('train', False):
            out[f'{name}/test'] = link(out['x2']).array
        link.start_finetuning()
        out[f'{name}/tuned'] = link(out['x2'], finetune=True).array
        out[f'{name}/avg_mean'], out[f'{name}/avg_var'], out[f'{name}/N'] = link.avg_mean, link.avg_var, link.N
    numpy.savez_compressed(HERE + '/normalization.npz', **out)


main()
