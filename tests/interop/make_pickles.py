# SPDX-License-Identifier: MIT
"""Writes pickles as the release's PickleDatasetWriter does, for the C++ tests: make_pickles.py OUT_FOLDER."""
import sys

import numpy

import chainer

folder = sys.argv[1]
x = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
records = [(x, numpy.int32(3)), (x.T, 7), {'x': x.astype('>f8'), 'name': 'gr\u00fc\u00df'},
           numpy.array([True, False]), 2.5, (None, b'ab', -1, 2 ** 40, True), (numpy.zeros((0, 3), numpy.float16), x[0])]
for protocol in 2, 3, 4, 5:
    with chainer.datasets.open_pickle_dataset_writer('{}/protocol{}.pkl'.format(folder, protocol), protocol) as w:
        for r in records:
            w.write(r)
