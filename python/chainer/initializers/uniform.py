# SPDX-License-Identifier: MIT
import numpy

from chainer import initializer


class Uniform(initializer.Initializer):
    """Values between -scale and scale."""

    def __init__(self, scale=0.05, dtype=None):
        self.scale = scale
        super(Uniform, self).__init__(dtype)

    def __call__(self, array):
        initializer.check_dtype(array, self.dtype)
        array[...] = numpy.random.uniform(low=-self.scale, high=self.scale, size=array.shape)


class _ByFans(initializer.Initializer):
    def __init__(self, scale=1.0, dtype=None):
        self.scale = scale
        super(_ByFans, self).__init__(dtype)

    def __call__(self, array):
        initializer.check_dtype(array, self.dtype)
        fan_in, fan_out = initializer.get_fans(array.shape)
        Uniform(self.scale * self._factor(fan_in, fan_out))(array)


class LeCunUniform(_ByFans):
    def _factor(self, fan_in, fan_out):
        return numpy.sqrt(3. / fan_in)


class GlorotUniform(_ByFans):
    def _factor(self, fan_in, fan_out):
        return numpy.sqrt(6. / (fan_in + fan_out))


class HeUniform(_ByFans):
    def _factor(self, fan_in, fan_out):
        return numpy.sqrt(6. / fan_in)
