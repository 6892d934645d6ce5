# SPDX-License-Identifier: MIT
"""The interface of GPUs. This build supports none: `available` is False, and functions that need a GPU raise errors."""
import warnings

import numpy

from chainer.configuration import config  # NOQA

available = False
cudnn_enabled = False
cudnn = None
_max_workspace_size = 8 * 1024 * 1024


class ndarray(object):
    """The type of GPU arrays; it has no instances."""


class _Unavailable(object):
    def __init__(self, name):
        self._name = name
        self.__name__ = name

    def __getattr__(self, key):
        if key.startswith('__'):
            raise AttributeError(key)
        raise RuntimeError('{}.{}: CUDA is not available in this build'.format(self._name, key))


cupy = _Unavailable('cupy')
cupy.ndarray = ndarray


class DummyDeviceType(object):
    """The device of arrays on the host."""
    id = -1

    def __init__(self, device_id=-1):
        pass

    def __int__(self):
        return -1

    def __enter__(self):
        return self

    def __exit__(self, *info):
        pass

    def use(self):
        pass

    def synchronize(self):
        pass

    def __eq__(self, other):
        return isinstance(other, DummyDeviceType)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return -1


Device = DummyDeviceType
DummyDevice = DummyDeviceType()


class Event(object):
    def __init__(self, *args, **kwargs):
        check_cuda_available()


class Stream(object):
    null = None

    def __init__(self, *args, **kwargs):
        check_cuda_available()


def check_cuda_available():
    raise RuntimeError('CUDA is not available in this build')


def get_device(*args):
    warnings.warn('get_device is deprecated. Use get_device_from_id or get_device_from_array instead.',
                  DeprecationWarning)
    for a in args:
        if isinstance(a, (int, numpy.integer)) and not isinstance(a, bool) and a >= 0:
            check_cuda_available()
    return DummyDevice


def get_device_from_id(device_id):
    if device_id is not None and device_id >= 0:
        check_cuda_available()
    return DummyDevice


def get_device_from_array(*arrays):
    return DummyDevice


def get_array_module(*args):
    return numpy


def to_cpu(array, stream=None):
    """Returns the arrays unchanged; lists and tuples keep their structure."""
    if isinstance(array, (list, tuple)):
        done = [to_cpu(a, stream) for a in array]
        return tuple(done) if isinstance(array, tuple) else done
    if array is None or isinstance(array, (numpy.ndarray, numpy.number, numpy.bool_)):
        return array if not isinstance(array, (numpy.number, numpy.bool_)) else numpy.asarray(array)
    raise TypeError('The array sent to cpu must be an array or a NumPy scalar, not {}'.format(type(array)))


def to_gpu(array, device=None, stream=None):
    check_cuda_available()


def copy(array, out=None, out_device=None, stream=None):
    check_cuda_available()


def should_use_cudnn(level, lowest_version=0):
    return False


def should_use_cudnn_tensor_core(dtype):
    return False


def clear_memo():
    pass


def memoize(for_each_device=False):
    """Caches a function's results by its arguments."""
    def decorate(f):
        found = {}

        def call(*args, **kwargs):
            key = args + tuple(sorted(kwargs.items()))
            if key not in found:
                found[key] = f(*args, **kwargs)
            return found[key]
        return call
    return decorate


def elementwise(*args, **kwargs):
    check_cuda_available()


def reduce(*args, **kwargs):
    check_cuda_available()


def raw(*args, **kwargs):
    check_cuda_available()


def fuse(*args, **kwargs):
    """Returns the function unchanged: the library fuses operations on the host itself."""
    return (lambda f: f) if not (len(args) == 1 and callable(args[0])) else args[0]


def get_cudnn_dropout_states():
    """Returns the states of cuDNN's dropout, which is an error without cuDNN."""
    raise RuntimeError('cuDNN is not available.')


def get_cudnn_dropout_states_core(thread_id):
    """Returns the states of cuDNN's dropout of a thread, which is an error without cuDNN."""
    raise RuntimeError('cuDNN is not available.')


def get_max_workspace_size():
    return _max_workspace_size


def set_max_workspace_size(size):
    """Sets the workspace limit of cuDNN, which is stored without effect."""
    global _max_workspace_size
    _max_workspace_size = size

