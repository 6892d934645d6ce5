# SPDX-License-Identifier: MIT
from chainermn.communicators import mpi_communicator_base


class SingleNodeCommunicator(mpi_communicator_base.MpiCommunicatorBase):
    """Averages all gradients in one buffer, on devices by NCCL, between the processes of one node."""

    def __init__(self, mpi_comm):
        super(SingleNodeCommunicator, self).__init__(mpi_comm)
        if self.inter_size != 1:
            raise ValueError('single_node: the processes are on {} nodes'.format(self.inter_size))

    def allreduce_grad(self, model):
        self._allreduce_by_nccl(model)
