# SPDX-License-Identifier: MIT
import numpy

from chainer import initializer


class Normal(initializer.Initializer):
    """Gaussian values with mean zero."""

    def __init__(self, scale=0.05, dtype=None):
        self.scale = scale
        super(Normal, self).__init__(dtype)

    def __call__(self, array):
        initializer.check_dtype(array, self.dtype)
        array[...] = numpy.random.normal(loc=0.0, scale=self.scale, size=array.shape)


class _ByFans(initializer.Initializer):
    """Gaussian values whose scale depends on the numbers of inputs and outputs."""

    def __init__(self, scale=1.0, dtype=None):
        self.scale = scale
        super(_ByFans, self).__init__(dtype)

    def __call__(self, array):
        initializer.check_dtype(array, self.dtype)
        fan_in, fan_out = initializer.get_fans(array.shape)
        Normal(self.scale * self._factor(fan_in, fan_out))(array)


class LeCunNormal(_ByFans):
    def _factor(self, fan_in, fan_out):
        return numpy.sqrt(1. / fan_in)


class GlorotNormal(_ByFans):
    def _factor(self, fan_in, fan_out):
        return numpy.sqrt(2. / (fan_in + fan_out))


class HeNormal(_ByFans):
    def __init__(self, scale=1.0, dtype=None, fan_option='fan_in'):
        if fan_option not in ('fan_in', 'fan_out'):
            raise ValueError('fan_option should be either \'fan_in\' or \'fan_out\'.')
        self.fan_option = fan_option
        super(HeNormal, self).__init__(scale, dtype)

    def _factor(self, fan_in, fan_out):
        return numpy.sqrt(2. / (fan_in if self.fan_option == 'fan_in' else fan_out))
