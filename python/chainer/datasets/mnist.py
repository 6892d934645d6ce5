import gzip
import os
import struct

import numpy

from chainer.dataset import download
from chainer.datasets import tuple_dataset

_FILES = {'train': ('train-images-idx3-ubyte', 'train-labels-idx1-ubyte'),
          'test': ('t10k-images-idx3-ubyte', 't10k-labels-idx1-ubyte')}


def get_mnist(withlabel=True, ndim=1, scale=1., dtype=None, label_dtype=numpy.int32, rgb_format=False):
    """The training set and the test set of MNIST, read from the folder of datasets."""
    if dtype is None:
        from chainer import get_dtype
        dtype = get_dtype()
    return tuple([_preprocess(name, withlabel, ndim, scale, dtype, label_dtype, rgb_format)
                  for name in ('train', 'test')])


def _preprocess(name, withlabel, ndim, scale, image_dtype, label_dtype, rgb_format):
    images, labels = _cached(name) or [_read(stem) for stem in _FILES[name]]
    if ndim == 1:
        images = images.reshape(len(images), 784)
    elif ndim == 2:
        images = images.reshape(len(images), 28, 28)
    elif ndim == 3:
        images = images.reshape(len(images), 1, 28, 28)
        if rgb_format:
            images = numpy.broadcast_to(images, (len(images), 3, 28, 28))
    else:
        raise ValueError('invalid ndim for MNIST dataset')
    images = images.astype(image_dtype)
    images *= scale / 255.
    if withlabel:
        return tuple_dataset.TupleDataset(images, labels.astype(label_dtype))
    return images


def _folders():
    root = download.get_dataset_root()
    return [os.path.join(root, *p) for p in (('pfnet', 'chainer', 'mnist'), ('mnist',), ())]


def _cached(name):
    """The arrays of the release's own cache, if it is there."""
    path = os.path.join(_folders()[0], name + '.npz')
    if not os.path.exists(path):
        return None
    with numpy.load(path) as f:
        return f['x'], f['y']


def _read(stem):
    for folder in _folders():
        for path, open_ in ((stem + '.gz', gzip.open), (stem, open)):
            full = os.path.join(folder, path)
            if os.path.exists(full):
                with open_(full, 'rb') as f:
                    return _parse(f.read(), full)
    raise RuntimeError('{}.gz is in none of {}. `chainer datasets fetch mnist` loads it; CHAINER_DATASET_ROOT names '
                       'another folder.'.format(stem, ', '.join(_folders())))


def _parse(data, path):
    zero, kind, ndim = struct.unpack('>HBB', data[:4])
    if zero != 0 or kind != 8 or len(data) < 4 + 4 * ndim:
        raise RuntimeError('{} is no IDX file of bytes'.format(path))
    shape = struct.unpack('>' + 'I' * ndim, data[4:4 + 4 * ndim])
    return numpy.frombuffer(data, numpy.uint8, offset=4 + 4 * ndim).reshape(shape)
