# SPDX-License-Identifier: MIT
from chainer.exporters import caffe  # NOQA
