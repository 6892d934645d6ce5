# SPDX-License-Identifier: MIT
from chainermn.communicators import mpi_communicator_base


class HierarchicalCommunicator(mpi_communicator_base.MpiCommunicatorBase):
    """Averages all gradients in one buffer, on devices by NCCL."""

    def allreduce_grad(self, model):
        self._allreduce_by_nccl(model)
