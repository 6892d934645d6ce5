# SPDX-License-Identifier: MIT
"""The messages of Caffe's files, which need the package protobuf."""
from chainer.links.caffe.protobuf3.caffe_pb2 import *  # NOQA
