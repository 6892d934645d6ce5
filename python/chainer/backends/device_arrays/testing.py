# SPDX-License-Identifier: MIT
"""The assertions of numpy.testing on arrays of devices."""
import numpy

from chainer.backends.device_arrays._array import asnumpy, ndarray


def _of_numpy(name):
    check = getattr(numpy.testing, name)

    def call(*args, **kwargs):
        return check(*[asnumpy(a) if isinstance(a, ndarray) else a for a in args], **kwargs)
    call.__name__ = name
    return call


for _name in ('assert_allclose', 'assert_array_almost_equal', 'assert_array_equal', 'assert_array_less'):
    globals()[_name] = _of_numpy(_name)
