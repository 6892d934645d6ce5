# SPDX-License-Identifier: MIT
from chainer.backends import cuda  # NOQA
from chainer.backends import intel64  # NOQA
