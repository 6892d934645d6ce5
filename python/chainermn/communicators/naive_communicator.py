# SPDX-License-Identifier: MIT
import mpi4py.MPI
import numpy

from chainermn.communicators import _memory_utility, mpi_communicator_base


class NaiveCommunicator(mpi_communicator_base.MpiCommunicatorBase):
    """Averages each gradient by itself."""

    def allreduce_grad(self, model):
        for p in _memory_utility.extract_params_set_grad(model):
            grad = numpy.ascontiguousarray(p.grad)
            self.mpi_comm.Allreduce(mpi4py.MPI.IN_PLACE, grad)
            p.grad[...] = grad / self.size
