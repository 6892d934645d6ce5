# SPDX-License-Identifier: MIT
"""Parameters of models in one buffer, an array of NumPy or of a device."""
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
        buffer[at:at + v.size] = (v if isinstance(buffer, cuda.ndarray) else cuda.to_cpu(v)).ravel()
        at += v.size


def unpack_params(params, itemsize, attr_name, buffer, stream=None):
    """Copies an array of one axis into an attribute (data or grad) of parameters."""
    at = 0
    for p in params:
        v = getattr(p, attr_name)
        part = buffer[at:at + v.size].reshape(v.shape)
        v[...] = part.astype(v.dtype, copy=False) if isinstance(part, cuda.ndarray) else cuda.like(part, v)
        at += v.size


def packed_on_device(params, divisor, dtype=None):
    """The gradients of parameters on a device in one buffer, divided first so that sums in 16 bits do not overflow."""
    xp = cuda.cupy
    own = params[0].grad.dtype
    dtype = numpy.dtype(dtype or own)
    with params[0].grad.device:
        buffer = xp.concatenate([p.grad.ravel() for p in params])
        if dtype.itemsize > own.itemsize:  # small gradients would vanish in the narrower dtype
            buffer = buffer.astype(dtype)
        return (buffer * (1.0 / divisor)).astype(dtype, copy=False)


def array_to_buffer_object(array, mpi_dtype=None):
    """What MPI takes as the buffer of an array."""
    return array if mpi_dtype is None else [array, mpi_dtype]


def get_device_memory_pointer(array):
    return numpy.ascontiguousarray(array)
