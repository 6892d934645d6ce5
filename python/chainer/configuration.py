# SPDX-License-Identifier: MIT
"""Configuration: entries of the process, overridden by entries of a thread.

Entries that the C++ library also has are passed to it when they change. All entries are read here, except
enable_backprop, which the library changes during backward."""
from __future__ import print_function

import contextlib
import os
import sys
import threading

import numpy

from chainer import _core


class GlobalConfig(object):
    """The values of all threads, unless a thread overrides them."""

    def __init__(self, _shared=False):
        object.__setattr__(self, '_shared', _shared)

    def __setattr__(self, key, value):
        object.__setattr__(self, key, value)
        if self._shared:
            _core.set_config(key, value, True)

    def _entries(self):
        return {k: v for k, v in self.__dict__.items() if not k.startswith('_')}

    def show(self, file=sys.stdout):
        _show(self._entries(), file)


class LocalConfig(object):
    """The values of this thread, which override the global ones. Deleting an attribute restores the global value."""

    def __init__(self, global_config, _shared=False):
        object.__setattr__(self, '_global', global_config)
        object.__setattr__(self, '_local', threading.local())
        object.__setattr__(self, '_shared', _shared)

    def __getattr__(self, key):
        if key == 'enable_backprop' and self._shared:
            return _core.backprop_enabled()
        values = self._local.__dict__
        if key in values:
            return values[key]
        return getattr(self._global, key)

    def __setattr__(self, key, value):
        self._local.__dict__[key] = value
        if self._shared:
            _core.set_config(key, value)

    def __delattr__(self, key):
        try:
            del self._local.__dict__[key]
        except KeyError:
            raise AttributeError(key)
        if self._shared:
            _core.set_config(key, None)

    def _own(self, key):
        """Returns whether this thread has its own value, and the value."""
        if key == 'enable_backprop' and self._shared:
            value = _core.own_backprop_mode()
            return value is not None, value
        return key in self._local.__dict__, self._local.__dict__.get(key)

    def show(self, file=sys.stdout):
        entries = self._global._entries()
        entries.update(self._local.__dict__)
        _show(entries, file)


def _show(entries, file):
    width = max([len(k) for k in entries] or [0])
    for key in sorted(entries):
        print('{:<{}} {}'.format(key, width, entries[key]), file=file)


class _MixedPrecision(object):
    """A value of config.dtype: parameters in float32, products and activations in 16 bits."""

    def __init__(self, name):
        self._mixed_name = name

    @property
    def dtype(self):
        """The dtype of activations for NumPy, which has no bfloat16."""
        return numpy.dtype(numpy.float16 if self._mixed_name == 'mixed16' else numpy.float32)

    def __repr__(self):
        return 'dtype(\'{}\')'.format(self._mixed_name)

    __str__ = __repr__

    def __reduce__(self):
        return _mixed_precision, (self._mixed_name,)


mixed16 = _MixedPrecision('mixed16')
mixed_bfloat16 = _MixedPrecision('mixed_bfloat16')


def _mixed_precision(name):
    return mixed16 if name == 'mixed16' else mixed_bfloat16


def _default_dtype(name):
    return _mixed_precision(name) if name in ('mixed16', 'mixed_bfloat16') else numpy.dtype(name)


def _flag(name, default='0'):
    return bool(int(os.environ.get(name, default)))


global_config = GlobalConfig(_shared=True)
config = LocalConfig(global_config, _shared=True)

for _key, _value in (
        ('autotune', False),
        ('cudnn_deterministic', False),
        ('cudnn_fast_batch_normalization', _flag('CHAINER_CUDNN_FAST_BATCH_NORMALIZATION')),
        ('debug', _flag('CHAINER_DEBUG')),
        ('dtype', _default_dtype(os.environ.get('CHAINER_DTYPE', 'float32'))),
        ('enable_backprop', True),
        ('keep_graph_on_report', _flag('CHAINER_KEEP_GRAPH_ON_REPORT')),
        ('lazy_grad_sum', _flag('CHAINER_LAZY_GRAD_SUM')),
        ('schedule_func', None),
        ('train', True),
        ('type_check', _flag('CHAINER_TYPE_CHECK', '1')),
        ('use_cudnn', os.environ.get('CHAINER_USE_CUDNN', 'auto')),
        ('use_cudnn_tensor_core', os.environ.get('CHAINER_USE_CUDNN_TENSOR_CORE', 'auto')),
        ('use_ideep', os.environ.get('CHAINER_USE_IDEEP', 'never')),
        ('use_static_graph', True),
        ('_will_recompute', False),
        ('in_recomputing', False),
        ('cublas_use_tensor_core', 'auto'),):
    if not _key.startswith('_'):
        setattr(global_config, _key, _value)


@contextlib.contextmanager
def using_config(name, value, config=config):
    """Sets an entry of this thread within a with statement."""
    had, old = config._own(name)
    setattr(config, name, value)
    try:
        yield
    finally:
        if had:
            setattr(config, name, old)
        else:
            delattr(config, name)


def no_backprop_mode():
    """A scope in which functions record no graph."""
    return using_config('enable_backprop', False)


def force_backprop_mode():
    """A scope inside no_backprop_mode() in which functions record graphs again."""
    return using_config('enable_backprop', True)


def is_debug():
    return bool(config.debug)


def set_debug(debug):
    config.debug = debug


class DebugMode(object):
    """A scope that turns the check of functions for NaN on or off."""

    def __init__(self, debug):
        self._scope = using_config('debug', debug)

    def __enter__(self):
        self._scope.__enter__()

    def __exit__(self, *info):
        self._scope.__exit__(*info)


def get_dtype(dtype=None, map_mixed16=None):
    """Returns the given dtype, or the configured one. In mixed precision that is map_mixed16, or float32, the dtype of
    parameters."""
    if dtype is None:
        dtype = config.dtype
    if isinstance(dtype, _MixedPrecision):
        dtype = numpy.float32 if map_mixed16 is None else map_mixed16
    return numpy.dtype(dtype)
