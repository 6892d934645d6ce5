# SPDX-License-Identifier: MIT
from chainermn.communicators import mpi_communicator_base
from chainermn import nccl


class PureNcclCommunicator(mpi_communicator_base.MpiCommunicatorBase):
    """Averages gradients by NCCL, which is an error without it."""

    def __init__(self, mpi_comm, allreduce_grad_dtype=None):
        super(PureNcclCommunicator, self).__init__(mpi_comm)
        if not nccl._available or nccl.get_version() < 2000:
            raise RuntimeError('pure_nccl: NCCL 2 is needed, which is not available in this build')

    def allreduce_grad(self, model):
        raise RuntimeError('NCCL is not available in this build')
