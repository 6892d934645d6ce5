# SPDX-License-Identifier: MIT
import numpy

from chainer.backends import cuda
from chainermn.communicators import _memory_utility, mpi_communicator_base


class PureNcclCommunicator(mpi_communicator_base.MpiCommunicatorBase):
    """Averages gradients on devices by NCCL, in their own dtype or in allreduce_grad_dtype. Needs devices."""

    def __init__(self, mpi_comm, allreduce_grad_dtype=None):
        super(PureNcclCommunicator, self).__init__(mpi_comm)
        if not cuda.available:
            raise RuntimeError('pure_nccl: a CUDA device and NCCL 2 are needed, and there is no device')
        if allreduce_grad_dtype is not None:
            allreduce_grad_dtype = numpy.dtype(allreduce_grad_dtype)
            if allreduce_grad_dtype.kind != 'f':
                raise ValueError('pure_nccl: allreduce_grad_dtype must be floating, not {}'.format(
                    allreduce_grad_dtype))
        self.allreduce_grad_dtype = allreduce_grad_dtype

    def split(self, color, key):
        return self.__class__(self.mpi_comm.Split(color, key), self.allreduce_grad_dtype)

    def allreduce_grad(self, model):
        self.end_allreduce_grad(self.begin_allreduce_grad(model))

    def begin_allreduce_grad(self, model):
        """Begins to average the gradients in buffers, next to other work; returns what end_allreduce_grad() takes."""
        begun = []
        for params, device in self._grads_by_kind(model):
            if device is None:
                raise RuntimeError('pure_nccl: gradients must be on a device; call to_gpu() of the model')
            group = self._group(device)
            if group is None:
                raise RuntimeError('pure_nccl: NCCL (libnccl.so.2) was not found by all processes; it is a package of '
                                   'Python; CHAINER_NCCL_LIBRARY names its file')
            buffer = _memory_utility.packed_on_device(params, self.size, self.allreduce_grad_dtype)
            group.sum(buffer)
            begun.append((params, buffer, group))
        return begun

    def end_allreduce_grad(self, begun, write=True):
        """Waits for averages, and writes them to the gradients."""
        for params, buffer, group in begun:
            group.wait()
            if write:
                _memory_utility.unpack_params(params, buffer.itemsize, 'grad', buffer)
