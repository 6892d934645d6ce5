# SPDX-License-Identifier: MIT
"""Chainer over the C++ library: the interface of release 5.4."""
from __future__ import absolute_import

disable_experimental_feature_warning = False

import os as _os

import numpy  # NOQA

# NumPy shares this thread, so denormal numbers are preserved unless the user requests flushing.
_os.environ.setdefault('CHAINER_FLUSH_DENORMALS', '0')

from chainer import _core  # NOQA
from chainer._version import __version__  # NOQA
from chainer.configuration import config, DebugMode, force_backprop_mode, get_dtype, global_config  # NOQA
from chainer.configuration import is_debug, mixed16, mixed_bfloat16, no_backprop_mode, set_debug, using_config  # NOQA
from chainer._core import Variable  # NOQA
from chainer import utils  # NOQA
from chainer import backends  # NOQA
from chainer.backends import cuda  # NOQA
from chainer import backend  # NOQA
from chainer.initializer import Initializer  # NOQA
from chainer import initializers  # NOQA
from chainer.function import Function, FunctionAdapter  # NOQA
from chainer.function_hook import FunctionHook, get_function_hooks  # NOQA
from chainer.function_node import FunctionNode, grad  # NOQA
from chainer import variable  # NOQA
from chainer.variable import as_variable, Parameter  # NOQA
from chainer import functions  # NOQA
from chainer.functions import array  # NOQA
from chainer.functions.math import basic_math  # NOQA
from chainer.serializer import AbstractSerializer, Deserializer, Serializer  # NOQA
from chainer.link_hook import _get_link_hooks, LinkHook  # NOQA
from chainer.link import Chain, ChainList, Link  # NOQA
from chainer.sequential import Sequential  # NOQA
from chainer.reporter import DictSummary, get_current_reporter, report, report_scope, Reporter, Summary  # NOQA
from chainer.optimizer import GradientMethod, Optimizer, UpdateRule  # NOQA
from chainer import links  # NOQA
from chainer import dataset  # NOQA


# Modules that many programs do not use are imported at first use, which makes `import chainer` faster.
_LATE = {name: name for name in (
    '_backprop_utils', '_environment_check', '_runtime_info', 'computational_graph', 'datasets', 'distribution',
    'distributions', 'exporters', 'function_hooks', 'gradient_check', 'graph_optimizations', 'inference', 'iterators',
    'link_hooks', 'models', 'onnx', 'optimizer_hooks', 'optimizers', 'run_report', 'runtime_info', 'serializers', 'tensorboard', 'testing',
    'tokenizers', 'training')}
_LATE.update({'cross_entropy': 'distribution', 'Distribution': 'distribution', 'kl_divergence': 'distribution',
              'register_kl': 'distribution', 'print_runtime_info': 'runtime_info',
              'static_code': 'graph_optimizations', 'static_graph': 'graph_optimizations',
              'summary': 'model_summary'})


def __getattr__(name):
    if name not in _LATE:
        raise AttributeError('module chainer has no attribute {!r}'.format(name))
    import importlib
    module = importlib.import_module('chainer.' + _LATE[name])
    return module if name == _LATE[name] else getattr(module, name)


def __dir__():
    return sorted(set(globals()) | set(_LATE))


def get_array_types():
    """Returns the array types that a Variable accepts."""
    return (numpy.ndarray, cuda.ndarray) if cuda.available else (numpy.ndarray,)


def is_arrays_compatible(arrays):
    """Returns True if the arrays can be passed to one function: all are on the host, or all on a device."""
    arrays = [a.array if cuda.available and isinstance(a, Variable) else a for a in arrays]
    arrays = [a for a in arrays if a is not None]
    return all([isinstance(a, (numpy.ndarray, Variable)) for a in arrays]) or (
        all([isinstance(a, cuda.ndarray) for a in arrays]))


def get_cpu_array_types():
    return (numpy.ndarray,)


def should_use_cudnn(level, lowest_version=0):
    """Returns False: there is no cuDNN. The level is `==always` or `>=auto`."""
    _check_level(level, config.use_cudnn, 'use_cudnn')
    return False


def should_use_cudnn_tensor_core(dtype):
    return False


def should_use_ideep(level):
    """Returns False: there is no iDeep. The level is `==always` or `>=auto`."""
    _check_level(level, config.use_ideep, 'use_ideep')
    return False


def _check_level(level, value, name):
    if level not in ('==always', '>=auto'):
        raise ValueError('invalid {} configuration: {!r} is not one of ==always, >=auto'.format(name, level))
    if value not in ('always', 'auto', 'never'):
        raise ValueError('invalid {} configuration: {!r}'.format(name, value))


def is_ideep_available():
    return False
