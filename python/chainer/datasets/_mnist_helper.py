# SPDX-License-Identifier: MIT
"""Parts of the datasets in MNIST's format."""
import gzip

import numpy

from chainer.dataset import download
from chainer.datasets import _fetch
from chainer.datasets import tuple_dataset


def make_npz(path, urls):
    """Downloads images and labels, writes them to an NPZ file and returns them as a dictionary of x and y."""
    from chainer.datasets.mnist import _parse
    arrays = []
    for url in urls:
        with gzip.open(download.cached_download(url), 'rb') as f:
            arrays.append(_parse(f.read(), url))
    x, y = arrays
    x = x.reshape(len(x), -1)
    numpy.savez_compressed(path, x=x, y=y)
    return {'x': x, 'y': y}


def preprocess_mnist(raw, withlabel, ndim, scale, image_dtype, label_dtype, rgb_format):
    """Converts images and labels to a dataset."""
    images, labels = raw['x'], raw['y']
    if ndim not in (1, 2, 3):
        raise ValueError('invalid ndim for MNIST dataset')
    if ndim == 1:
        images = images.reshape(len(images), 784)
    elif ndim == 2:
        images = images.reshape(len(images), 28, 28)
    else:
        images = images.reshape(len(images), 1, 28, 28)
        if rgb_format:
            images = numpy.broadcast_to(images, (len(images), 3, 28, 28))
    images = _fetch.scaled(images, image_dtype, scale)
    if withlabel:
        return tuple_dataset.TupleDataset(images, labels.astype(label_dtype))
    return images
