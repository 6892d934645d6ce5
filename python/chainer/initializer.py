# SPDX-License-Identifier: MIT
import numpy

from chainer import utils


class Initializer(object):
    """Base of initializers, which fill the array that they are called with."""

    def __init__(self, dtype=None):
        self.dtype = dtype

    def __call__(self, array):
        raise NotImplementedError()


def get_fans(shape):
    """Returns the numbers of inputs and outputs of a weight."""
    if not isinstance(shape, tuple):
        raise ValueError('shape must be tuple')
    if len(shape) < 2:
        raise ValueError('shape must be of length >= 2: shape={}'.format(shape))
    receptive = utils.size_of_shape(shape[2:])
    return shape[1] * receptive, shape[0] * receptive


def check_dtype(array, dtype):
    if dtype is not None:
        assert array.dtype == numpy.dtype(dtype)
