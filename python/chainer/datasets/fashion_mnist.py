import numpy

from chainer.datasets import mnist


def get_fashion_mnist_labels():
    """The names of the ten classes."""
    return ['T-shirt/top', 'Trouser', 'Pullover', 'Dress', 'Coat', 'Sandal', 'Shirt', 'Sneaker', 'Bag', 'Ankle boot']


def get_fashion_mnist(withlabel=True, ndim=1, scale=1., dtype=None, label_dtype=numpy.int32, rgb_format=False):
    """The training set and the test set of Fashion-MNIST."""
    return mnist.get(mnist.FASHION, withlabel, ndim, scale, dtype, label_dtype, rgb_format)
