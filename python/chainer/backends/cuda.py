# SPDX-License-Identifier: MIT
"""The interface of GPUs. Without a device `available` is False, and functions that need a GPU raise errors."""
import functools
import warnings

import numpy

from chainer import _core
from chainer.configuration import config  # NOQA

available = _core.devices.count() > 0
cudnn_enabled = False
cudnn = None
_max_workspace_size = 8 * 1024 * 1024
ndarray = _core.ndarray  # without a device, it has no instances


class _Unavailable(object):
    def __init__(self, name, why='CUDA is not available in this build'):
        self._name, self._why = name, why
        self.__name__ = name

    def __getattr__(self, key):
        if key.startswith('__'):
            raise AttributeError(key)
        raise RuntimeError('{}.{}: {}'.format(self._name, key, self._why))


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


DummyDevice = DummyDeviceType()

if available:
    from chainer.backends import device_arrays as cupy  # NOQA
    from chainer.backends.device_arrays import _as_cupy, cupyx  # NOQA
    from chainer.backends.device_arrays.cuda import Device, Event, Stream  # NOQA
    _as_cupy.install()
    memory_pool, pinned_memory_pool = cupy.get_default_memory_pool(), cupy.get_default_pinned_memory_pool()
else:
    cupy = _Unavailable('cupy')
    cupy.ndarray = ndarray
    cupyx = _Unavailable('cupyx')
    Device = DummyDeviceType

    class Event(object):
        def __init__(self, *args, **kwargs):
            check_cuda_available()

    class Stream(object):
        null = None

        def __init__(self, *args, **kwargs):
            check_cuda_available()


def check_cuda_available():
    if not available:
        raise RuntimeError('CUDA is not available in this build')


def get_device(*args):
    """Returns the device of the first argument that is a device, a number or an array on a device."""
    warnings.warn('get_device is deprecated. Use get_device_from_id or get_device_from_array instead.',
                  DeprecationWarning)
    return _get_device(*args)


def _get_device(*args):
    for a in args:
        if isinstance(a, (int, numpy.integer)) and not isinstance(a, bool) and a >= 0:
            check_cuda_available()
            return Device(a)
        if isinstance(a, ndarray):
            return a.device
        if isinstance(a, (Device, DummyDeviceType)):
            return a
    return DummyDevice


def get_device_from_id(device_id):
    """Returns the device with a number; for None or -1 the device of the host's arrays."""
    if device_id is None or device_id < 0:
        return DummyDevice
    check_cuda_available()
    return Device(device_id)


def get_device_from_array(*arrays):
    """Returns the device of the first array that is on one."""
    for array in arrays:
        for a in array if isinstance(array, (list, tuple)) else (array,):
            if isinstance(a, ndarray):
                return a.device
    return DummyDevice


def get_array_module(*args):
    """Returns the module of arrays on devices if an argument is such an array or a Variable of one, else NumPy."""
    if available:
        for a in args:
            if isinstance(a, ndarray) or isinstance(a, _core.Variable) and a._device_id >= 0:
                return cupy
    return numpy


def _each(function, array):
    done = [function(a) for a in array]
    return tuple(done) if isinstance(array, tuple) else done


def to_cpu(array, stream=None):
    """Copies arrays on devices to the host, and returns others unchanged; lists and tuples keep their structure."""
    if isinstance(array, (list, tuple)):
        return _each(to_cpu, array)
    if isinstance(array, ndarray):
        return array.get()
    if array is None or isinstance(array, (numpy.ndarray, numpy.number, numpy.bool_)):
        return array if not isinstance(array, (numpy.number, numpy.bool_)) else numpy.asarray(array)
    raise TypeError('The array sent to cpu must be an array or a NumPy scalar, not {}'.format(type(array)))


def to_gpu(array, device=None, stream=None):
    """Copies arrays to a device, by default the current one; lists and tuples keep their structure."""
    check_cuda_available()
    if stream is not None:
        warnings.warn('The stream option is deprecated in chainer.backends.cuda.to_gpu. Please remove it.',
                      DeprecationWarning)
    number = _number(device)
    if isinstance(array, (list, tuple)):
        return _each(lambda a: to_gpu(a, device), array)
    if array is None:
        return None
    if isinstance(array, ndarray):
        return array if number is None else array._to_device(number)
    if isinstance(array, (numpy.ndarray, numpy.number, numpy.bool_)):
        return cupy.array(array, device=number)
    if hasattr(array, '__cuda_array_interface__') or hasattr(array, '__dlpack__'):
        return cupy.asarray(array, device=number)
    raise TypeError('The array sent to gpu must be an array or a NumPy scalar, not {}'.format(type(array)))


def _number(device):
    """Returns the number of a device given by number, as an object or as an array on it; None is the current one."""
    if device is None or isinstance(device, DummyDeviceType):
        return None
    number = device._device_id if isinstance(device, ndarray) else int(device)
    if number < 0:
        raise RuntimeError('to_gpu: {} is not the number of a device'.format(number))
    return number


def copy(array, out=None, out_device=None, stream=None):
    """Copies an array on a device to another array, or to a new one on a device."""
    check_cuda_available()
    if not isinstance(array, ndarray):
        raise TypeError('copy: the array must be on a device, not {}'.format(type(array)))
    if out is not None:
        out[...] = array._to_device(out._device_id)
        return out
    if out_device is None or int(out_device) == array._device_id:
        return array._copy()
    return array._to_device(int(out_device))


def like(array, there):
    """Returns an array of NumPy on the device of another array, if that one is on a device."""
    if isinstance(there, ndarray) and isinstance(array, numpy.ndarray):
        return cupy.array(array, device=there._device_id)
    return array


def should_use_cudnn(level, lowest_version=0):
    return False


def should_use_cudnn_tensor_core(dtype):
    return False


_memos = []


def clear_memo():
    """Forgets the results of all functions decorated by memoize()."""
    for memo in _memos:
        memo.clear()


def memoize(for_each_device=False):
    """Caches a function's results by its arguments, and by the current device if for_each_device is true."""
    def decorate(f):
        found = {}
        _memos.append(found)

        @functools.wraps(f)
        def call(*args, **kwargs):
            key = args + tuple(sorted(kwargs.items()))
            if for_each_device and available:
                key += _core.devices.current(),
            if key not in found:
                found[key] = f(*args, **kwargs)
            return found[key]
        return call
    return decorate


@memoize()
def _kernel(name, *args, **kwargs):
    return getattr(cupy, name)(*args, **kwargs)


def _hashable(kwargs):
    return dict([(key, tuple(value) if isinstance(value, list) else value) for key, value in kwargs.items()])


def elementwise(in_params, out_params, operation, name, **kwargs):
    """Returns the elementwise kernel with these arguments of ElementwiseKernel, the same object for equal ones."""
    check_cuda_available()
    return _kernel('ElementwiseKernel', in_params, out_params, operation, name, **_hashable(kwargs))


def reduce(in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name, **kwargs):
    """Returns the reduction with these arguments of ReductionKernel, the same object for equal ones."""
    check_cuda_available()
    return _kernel('ReductionKernel', in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name,
                   **_hashable(kwargs))


def raw(code, name, *args, **kwargs):
    """Returns the raw kernel with these arguments of RawKernel, the same object for equal ones."""
    check_cuda_available()
    return _kernel('RawKernel', code, name, *[tuple(a) if isinstance(a, list) else a for a in args],
                   **_hashable(kwargs))


def fuse(*args, **kwargs):
    """Returns the function unchanged: the library fuses operations itself."""
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
