# SPDX-License-Identifier: MIT
"""Exports models to Caffe."""
import os

from chainer import _core
from chainer import configuration
from chainer import variable


def export(model, args, directory=None, export_params=True, graph_name='Graph'):
    """Runs a model once in test mode on one variable and writes its graph for Caffe.

    The description goes to chainer_model.prototxt and the parameters to chainer_model.caffemodel in `directory`;
    nothing is written without one. Linear functions, convolutions, deconvolutions, maximum and average pooling, batch
    and local response normalization, relu, leaky_relu, concat, softmax, sigmoid, reshape and sums have layers in Caffe;
    others are a ValueError."""
    if not isinstance(args, (tuple, list)):
        raise TypeError('args must be a tuple or a list of variables, not {}'.format(type(args)))
    if not all([isinstance(x, variable.Variable) for x in args]):
        raise TypeError('args must be variables')
    if len(args) != 1:
        raise NotImplementedError('models of one variable can be exported, not of {}'.format(len(args)))
    if directory is not None:
        directory = os.fspath(directory)
    with configuration.using_config('train', False), configuration.using_config('enable_backprop', True):
        _core.caffe.export_model(model, args[0], directory, bool(export_params), graph_name)


def __getattr__(name):
    if name == 'caffe_pb':  # needs the package protobuf
        from chainer.links.caffe.protobuf3 import caffe_pb2
        return caffe_pb2
    raise AttributeError('module {} has no attribute {!r}'.format(__name__, name))
