# SPDX-License-Identifier: MIT
import numpy

from chainer.datasets import _fetch
from chainer.datasets import tuple_dataset


def get_cifar10(withlabel=True, ndim=3, scale=1., dtype=None):
    """Returns the training set and the test set of CIFAR-10."""
    raw = _fetch.arrays('cifar', 'cifar-10.npz', lambda: _read(
        'https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz', 'cifar-10-batches-py/',
        ['data_batch_%d' % i for i in range(1, 6)], 'test_batch', b'labels'))
    return _datasets(raw, withlabel, ndim, scale, dtype)


def get_cifar100(withlabel=True, ndim=3, scale=1., dtype=None):
    """Returns the training set and the test set of CIFAR-100 with fine labels."""
    raw = _fetch.arrays('cifar', 'cifar-100.npz', lambda: _read(
        'https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz', 'cifar-100-python/', ['train'], 'test',
        b'fine_labels'))
    return _datasets(raw, withlabel, ndim, scale, dtype)


def _read(url, folder, train, test, labels):
    import pickle
    import tarfile
    with tarfile.open(_fetch.file(url, 'cifar'), 'r:gz') as archive:
        def part(name):
            return pickle.load(archive.extractfile(folder + name), encoding='bytes')
        parts, last = [part(name) for name in train], part(test)
    return {'train_x': numpy.concatenate([p[b'data'] for p in parts]).reshape(-1, 3072),
            'train_y': numpy.concatenate([numpy.array(p[labels], numpy.uint8) for p in parts]),
            'test_x': last[b'data'].reshape(-1, 3072), 'test_y': numpy.array(last[labels], numpy.uint8)}


def _datasets(raw, withlabel, ndim, scale, dtype):
    return tuple([_preprocess(raw[part + '_x'], raw[part + '_y'], withlabel, ndim, scale, dtype)
                  for part in ('train', 'test')])


def _preprocess(images, labels, withlabel, ndim, scale, dtype):
    if ndim == 3:
        images = images.reshape(-1, 3, 32, 32)
    elif ndim != 1:
        raise ValueError('invalid ndim for CIFAR dataset')
    images = _fetch.scaled(images, dtype, scale)
    return tuple_dataset.TupleDataset(images, labels.astype(numpy.int32)) if withlabel else images
