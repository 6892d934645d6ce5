# SPDX-License-Identifier: MIT
import numpy

from chainer.datasets import mnist
from chainer.datasets._mnist_helper import make_npz, preprocess_mnist  # NOQA


def get_fashion_mnist_labels():
    """Returns the names of the ten classes."""
    return ['T-shirt/top', 'Trouser', 'Pullover', 'Dress', 'Coat', 'Sandal', 'Shirt', 'Sneaker', 'Bag', 'Ankle boot']


def get_fashion_mnist(withlabel=True, ndim=1, scale=1., dtype=None, label_dtype=numpy.int32, rgb_format=False):
    """Returns the training set and the test set of Fashion-MNIST."""
    return mnist.get(mnist.FASHION, withlabel, ndim, scale, dtype, label_dtype, rgb_format)
