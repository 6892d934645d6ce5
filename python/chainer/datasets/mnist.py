# SPDX-License-Identifier: MIT
import gzip
import os
import struct

import numpy

from chainer.dataset import download
from chainer.datasets import _mnist_helper
from chainer.datasets._mnist_helper import make_npz, preprocess_mnist  # NOQA

_FILES = {'train': ('train-images-idx3-ubyte', 'train-labels-idx1-ubyte'),
          'test': ('t10k-images-idx3-ubyte', 't10k-labels-idx1-ubyte')}
MNIST = ('mnist', 'http://yann.lecun.com/exdb/mnist/')
FASHION = ('fashion-mnist', 'http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/')


def get_mnist(withlabel=True, ndim=1, scale=1., dtype=None, label_dtype=numpy.int32, rgb_format=False):
    """Returns the training set and the test set of MNIST, from the folder of datasets or from the network."""
    return get(MNIST, withlabel, ndim, scale, dtype, label_dtype, rgb_format)


def get(source, withlabel, ndim, scale, dtype, label_dtype, rgb_format):
    """Returns the sets of a source with files in MNIST's format."""
    return tuple([_preprocess(source, name, withlabel, ndim, scale, dtype, label_dtype, rgb_format)
                  for name in ('train', 'test')])


def _preprocess(source, name, withlabel, ndim, scale, image_dtype, label_dtype, rgb_format):
    images, labels = _cached(source, name) or [_read(source, stem) for stem in _FILES[name]]
    return _mnist_helper.preprocess_mnist({'x': images, 'y': labels}, withlabel, ndim, scale, image_dtype, label_dtype,
                                          rgb_format)


def _folders(source):
    root = download.get_dataset_root()
    return [os.path.join(root, *p) for p in (('pfnet', 'chainer', source[0]), (source[0],), ())]


def _cached(source, name):
    """Returns the arrays in the release's cache, if they exist."""
    path = os.path.join(_folders(source)[0], name + '.npz')
    if not os.path.exists(path):
        return None
    with numpy.load(path) as f:
        return f['x'], f['y']


def _read(source, stem):
    for folder in _folders(source)[:2 if source is FASHION else 3]:
        for path, open_ in ((stem + '.gz', gzip.open), (stem, open)):
            full = os.path.join(folder, path)
            if os.path.exists(full):
                with open_(full, 'rb') as f:
                    return _parse(f.read(), full)
    try:
        full = download._cached_download(source[1] + stem + '.gz', '{}/{}.gz'.format(source[0], stem))
    except OSError as error:
        raise RuntimeError('{}.gz is not in {} and cannot be downloaded from {} ({}). Set CHAINER_DATASET_ROOT to use '
                           'another folder.'.format(stem, ', '.join(_folders(source)), source[1], error))
    with gzip.open(full, 'rb') as f:
        return _parse(f.read(), full)


def _parse(data, path):
    zero, kind, ndim = struct.unpack('>HBB', data[:4])
    if zero != 0 or kind != 8 or len(data) < 4 + 4 * ndim:
        raise RuntimeError('{} is not an IDX file of bytes'.format(path))
    shape = struct.unpack('>' + 'I' * ndim, data[4:4 + 4 * ndim])
    return numpy.frombuffer(data, numpy.uint8, offset=4 + 4 * ndim).reshape(shape)
