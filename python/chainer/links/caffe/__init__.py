# SPDX-License-Identifier: MIT
from chainer.links.caffe.caffe_function import CaffeFunction  # NOQA


def __getattr__(name):
    if name == 'protobuf3':  # needs a package
        import importlib
        return importlib.import_module('chainer.links.caffe.protobuf3')
    raise AttributeError('module chainer.links.caffe has no attribute {!r}'.format(name))
