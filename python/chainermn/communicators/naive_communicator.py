# SPDX-License-Identifier: MIT
import mpi4py.MPI
import numpy

from chainer.backends import cuda
from chainermn.communicators import _memory_utility, mpi_communicator_base


class NaiveCommunicator(mpi_communicator_base.MpiCommunicatorBase):
    """Averages each gradient by itself."""

    def allreduce_grad(self, model):
        for p in _memory_utility.extract_params_set_grad(model):
            grad = numpy.ascontiguousarray(cuda.to_cpu(p.grad))
            self.mpi_comm.Allreduce(mpi4py.MPI.IN_PLACE, grad)
            p.grad[...] = cuda.like(grad / self.size, p.grad)
