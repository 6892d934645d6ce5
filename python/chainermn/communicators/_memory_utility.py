# SPDX-License-Identifier: MIT
"""Parameters of models in one buffer. On the host a buffer is an ndarray."""
import numpy

from chainer.backends import cuda


class HostPinnedMemory(object):
    """Memory of the host for copies to and from GPUs. Raises an error without a GPU."""

    def __init__(self):
        cuda.check_cuda_available()


class DeviceMemory(object):
    """Memory of a GPU. Raises an error without a GPU."""

    def __init__(self):
        cuda.check_cuda_available()


def extract_params_set_data(model):
    """The parameters that have an array, in the order of their paths."""
    return [p for _, p in sorted(model.namedparams()) if p.array is not None]


def extract_params_set_grad(model):
    """The parameters that have a gradient, in the order of their paths."""
    return [p for _, p in sorted(model.namedparams()) if p.array is not None and p.grad is not None]


def pack_params(params, itemsize, attr_name, buffer, stream=None):
    """Copies an attribute (data or grad) of parameters into an array of one axis."""
    at = 0
    for p in params:
        v = getattr(p, attr_name)
        buffer[at:at + v.size] = v.ravel()
        at += v.size


def unpack_params(params, itemsize, attr_name, buffer, stream=None):
    """Copies an array of one axis into an attribute (data or grad) of parameters."""
    at = 0
    for p in params:
        v = getattr(p, attr_name)
        v[...] = buffer[at:at + v.size].reshape(v.shape)
        at += v.size


def array_to_buffer_object(array, mpi_dtype=None):
    """What MPI takes as the buffer of an array."""
    return array if mpi_dtype is None else [array, mpi_dtype]


def get_device_memory_pointer(array):
    return numpy.ascontiguousarray(array)
