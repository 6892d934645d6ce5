# SPDX-License-Identifier: MIT
from chainermn.communicators.communicator_base import CommunicatorBase  # NOQA

_NAMES = {'naive': 'Naive', 'flat': 'Flat', 'hierarchical': 'Hierarchical', 'two_dimensional': 'TwoDimensional',
          'single_node': 'SingleNode', 'non_cuda_aware': 'NonCudaAware', 'pure_nccl': 'PureNccl', 'dummy': 'Dummy'}


def create_communicator(communicator_name='hierarchical', mpi_comm=None, allreduce_grad_dtype=None):
    """Creates a communicator over an MPI communicator (by default, of all processes).

    On the host all names but pure_nccl, which needs NCCL, are available; naive reduces gradients one by one, the others
    in one packed buffer."""
    if mpi_comm is None:
        try:
            import mpi4py.MPI
        except ImportError as e:
            raise ImportError('{}: communicators need MPI and the package mpi4py'.format(e))
        mpi_comm = mpi4py.MPI.COMM_WORLD
    if communicator_name != 'pure_nccl' and allreduce_grad_dtype is not None:
        raise ValueError('allreduce_grad_dtype: only the communicator pure_nccl converts gradients')
    if communicator_name not in _NAMES:
        raise ValueError('unknown communicator {!r}; available: {}'.format(
            communicator_name, ', '.join(sorted(_NAMES))))
    import importlib
    module = importlib.import_module('chainermn.communicators.%s_communicator' % communicator_name)
    cls = getattr(module, _NAMES[communicator_name] + 'Communicator')
    if communicator_name == 'pure_nccl':
        return cls(mpi_comm=mpi_comm, allreduce_grad_dtype=allreduce_grad_dtype)
    return cls(mpi_comm=mpi_comm)
