# SPDX-License-Identifier: MIT
from chainermn.communicators import mpi_communicator_base


class FlatCommunicator(mpi_communicator_base.MpiCommunicatorBase):
    """Averages all gradients in one buffer."""

    def allreduce_grad(self, model):
        self._allreduce_packed(model)
