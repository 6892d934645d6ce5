# SPDX-License-Identifier: MIT
"""Configurations and weights of published networks."""
import json
import os

from chainer import functions as F
from chainer import serializers

_ACTIVATIONS = {'gelu': F.gelu, 'gelu_new': lambda x: F.gelu(x, 'tanh'),
                'gelu_pytorch_tanh': lambda x: F.gelu(x, 'tanh'), 'relu': F.relu, 'silu': F.silu, 'swish': F.silu}


def activation(name):
    if name not in _ACTIVATIONS:
        raise ValueError("activation '{}' is not supported; supported: {}".format(
            name, ', '.join(sorted(_ACTIVATIONS))))
    return _ACTIVATIONS[name]


def configuration(kind, defaults, given, unsupported):
    """Returns the members of a configuration: defaults, replaced by those given. Other members are ignored."""
    if given.get('model_type', kind) != kind:
        raise ValueError("expected the model_type '{}', got '{}'".format(kind, given['model_type']))
    for name, only in unsupported.items():
        if given.get(name, only) != only:
            raise ValueError("'{}' = {!r} is not supported".format(name, given[name]))
    config = dict(defaults)
    config.update((k, v) for k, v in given.items() if k in defaults and v is not None)
    for name, value in config.items():
        if isinstance(defaults[name], int) and (not isinstance(value, int) or value < 1):
            raise ValueError("'{}' must be a positive integer, not {!r}".format(name, value))
    return config


def read_configuration(folder):
    with open(os.path.join(folder, 'config.json'), encoding='utf-8') as f:
        config = json.load(f)
    if not isinstance(config, dict):
        raise ValueError('{}: a configuration must be a JSON object'.format(f.name))
    return config


class Weights(object):
    """Copies arrays of a file to parameters, and collects what does not fit."""

    def __init__(self, folder, prefix, probe):
        self._file = serializers.SafetensorsFile(os.path.join(folder, 'model.safetensors'))
        self._prefix = prefix if prefix + probe in self._file else ''
        self._problems = []

    def __contains__(self, name):
        return self._prefix + name in self._file

    def get(self, *names):
        """Returns the array with the first of these names that exists."""
        for name in names:
            if name in self:
                return self._file[self._prefix + name]
        self._problems.append('{}{} is missing'.format(self._prefix, names[0]))
        return None

    def set(self, param, array, what):
        if array is None:
            return
        if not param._has_array:
            param.initialize(array.shape)
        if param.shape != array.shape:
            self._problems.append('{}{} has the shape {}, expected {}'.format(
                self._prefix, what, array.shape, param.shape))
        else:
            param.array[...] = array

    def linear(self, link, name):
        self.set(link.W, self.get(name + '.weight'), name)
        self.set(link.b, self.get(name + '.bias'), name)

    def normalization(self, link, name):
        self.set(link.gamma, self.get(name + '.weight', name + '.gamma'), name)
        self.set(link.beta, self.get(name + '.bias', name + '.beta'), name)

    def check(self):
        if self._problems:
            raise ValueError('the weights do not fit the model:\n  ' + '\n  '.join(self._problems))
