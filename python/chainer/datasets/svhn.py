# SPDX-License-Identifier: MIT
import numpy

from chainer.datasets import _fetch
from chainer.datasets import tuple_dataset


def get_svhn(withlabel=True, scale=1., dtype=None, label_dtype=numpy.int32, add_extra=False):
    """Returns the training, test and extra sets of Street View House Numbers (requires SciPy)."""
    return tuple([_part(name, withlabel, scale, dtype, label_dtype)
                  for name in ('train', 'test') + (('extra',) if add_extra else ())])


def _part(name, withlabel, scale, dtype, label_dtype):
    raw = _fetch.arrays('svhn', name + '.npz', lambda: _read(name))
    images = _fetch.scaled(raw['x'].transpose(3, 2, 0, 1), dtype, scale)
    if not withlabel:
        return images
    labels = raw['y'].astype(label_dtype).flatten()
    labels[labels == 10] = 0
    return tuple_dataset.TupleDataset(images, labels)


def _read(name):
    from scipy import io
    raw = io.loadmat(_fetch.file('http://ufldl.stanford.edu/housenumbers/{}_32x32.mat'.format(name), 'svhn'))
    return {'x': raw['X'].astype(numpy.uint8), 'y': raw['y'].astype(numpy.uint8)}
