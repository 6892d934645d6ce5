# SPDX-License-Identifier: MIT
import numpy

from chainer import initializer


def _interpolation(shape):
    """A filter for linear interpolation along the last axes."""
    kernel = 1
    n = len(shape) - 2
    for i, k in enumerate(shape[2:]):
        factor = (k + 1) // 2
        center = factor - 1 if k % 2 == 1 else factor - 0.5
        line = 1 - abs(numpy.arange(k) - center) / factor
        kernel = kernel * line.reshape([-1 if j == i else 1 for j in range(n)])
    return kernel


class _Sampling(initializer.Initializer):
    def __init__(self, interpolation='linear', dtype=None):
        if interpolation != 'linear':
            raise ValueError('Unknown interpolation: {}'.format(interpolation))
        self.interpolation = interpolation
        super(_Sampling, self).__init__(dtype)

    def __call__(self, array):
        initializer.check_dtype(array, self.dtype)
        in_c1, in_c2 = array.shape[:2]
        assert in_c1 == in_c2 or in_c2 == 1
        kernel = _interpolation(array.shape)
        array[...] = 0.
        pairs = (numpy.arange(in_c1), numpy.arange(in_c1) if in_c1 == in_c2 else numpy.zeros(in_c1, int))
        array[pairs] = self._scaled(kernel)


class UpsamplingDeconvFilter(_Sampling):
    def _scaled(self, kernel):
        return kernel


class DownsamplingConvFilter(_Sampling):
    def _scaled(self, kernel):
        return kernel / kernel.sum()
