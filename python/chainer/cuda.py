# SPDX-License-Identifier: MIT
"""An alias of chainer.backends.cuda."""
from chainer.backends.cuda import *  # NOQA
from chainer.backends.cuda import _get_device, available, cupy, DummyDevice, DummyDeviceType, ndarray  # NOQA
