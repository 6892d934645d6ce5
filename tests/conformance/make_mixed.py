# SPDX-License-Identifier: MIT
"""Runs functions of release 5.4.0 on floating dtypes that differ and writes mixed.npz, which the C++ tests read.

usage: make_mixed.py      (with the Python of ../interop/release.py)

`function.outcomes` has a character for each choice of dtypes, the last input's changing first: the result's dtype, or
`-` where it is refused. Values and gradients are those of float64.
"""
import itertools
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'interop'))
from release import *  # noqa: E402

IMAGES = [(2, 3, 4, 4), (4, 3, 2, 2), (4,)]
CASES = {
    'linear': (F.linear, [(2, 3), (4, 3), (4,)]),
    'convolution_2d': (F.convolution_2d, IMAGES),
    'convolution_nd': (F.convolution_nd, [(2, 3, 4, 4, 3), (4, 3, 2, 2, 2), (4,)]),
    'deconvolution_2d': (F.deconvolution_2d, [(2, 3, 4, 4), (3, 4, 2, 2), (4,)]),
    'deconvolution_nd': (F.deconvolution_nd, [(2, 3, 4, 4, 3), (3, 4, 2, 2, 2), (4,)]),
    'dilated_convolution_2d': (lambda x, W, b: F.dilated_convolution_2d(x, W, b, dilate=2), IMAGES),
    'depthwise_convolution_2d': (F.depthwise_convolution_2d, [(2, 3, 4, 4), (2, 3, 2, 2), (6,)]),
    'local_convolution_2d': (F.local_convolution_2d, [(2, 3, 4, 4), (2, 3, 3, 3, 2, 2), (2, 3, 3)]),
    'deformable_convolution_2d_sampler': (F.deformable_convolution_2d_sampler,
                                          [(2, 3, 4, 4), (2, 8, 3, 3), (2, 3, 2, 2)]),
    'simplified_dropconnect': (lambda x, W, b: F.simplified_dropconnect(x, W, b, mask=numpy.ones((2, 4, 3), bool)),
                               [(2, 3), (4, 3), (4,)]),
    'matmul': (F.matmul, [(2, 3), (3, 4)]),
    'tensordot': (lambda a, b: F.tensordot(a, b, 1), [(2, 3), (3, 4)]),
    'black_out': (lambda x, W: F.black_out(x, numpy.array([0, 1], 'i'), W, numpy.array([[1], [2]], 'i')),
                  [(2, 3), (4, 3)]),
}


def main():
    out = {}
    for name, (f, shapes) in CASES.items():
        # Exact in every dtype, and not near the whole numbers where samplers have their kinks.
        arrays = [(numpy.random.RandomState(i).randint(16, 80, s) + 0.5) / 64 for i, s in enumerate(shapes)]
        outcomes = ''
        for dtypes in itertools.product('efd', repeat=len(shapes)):
            xs = [chainer.Variable(a.astype(d)) for a, d in zip(arrays, dtypes)]
            try:
                y = f(*xs)
            except chainer.utils.type_check.InvalidType:
                outcomes += '-'
                continue
            outcomes += y.dtype.char
            y.grad = numpy.ones_like(y.array)
            y.backward()
            assert all([x.grad.dtype == x.dtype for x in xs])
        out[name + '.outcomes'] = numpy.array(outcomes)
        # The last dtypes were float64: the values of all.
        out[name + '.y'] = y.array
        for i, (a, x) in enumerate(zip(arrays, xs)):
            out['%s.x%d' % (name, i)], out['%s.gx%d' % (name, i)] = a, x.grad
    numpy.savez_compressed(HERE + '/mixed.npz', **out)


main()
