# SPDX-License-Identifier: MIT
import collections
import pickle

import mpi4py.MPI

INT_MAX = 2147483647


def init_ranks(mpi_comm):
    """Returns rank, intra_rank, intra_size, inter_rank and inter_size: the place of a process among all, among those of
    its node, and the place of its node, in the order of the nodes' first processes."""
    names = mpi_comm.allgather(mpi4py.MPI.Get_processor_name())
    nodes = collections.OrderedDict()
    for rank, name in enumerate(names):
        nodes.setdefault(name, []).append(rank)
    rank = mpi_comm.rank
    here = nodes[names[rank]]
    return rank, here.index(rank), len(here), list(nodes).index(names[rank]), len(nodes)


def init_intra_mpi_comm(mpi_comm, intra_rank, inter_rank):
    """A communicator of the processes of a node."""
    return mpi_comm.Split(inter_rank, intra_rank)


def init_inter_mpi_comm(mpi_comm, intra_rank, inter_rank):
    """A communicator of the processes of the same place in their nodes."""
    return mpi_comm.Split(intra_rank, inter_rank)


def init_nccl_comm(mpi_comm):
    from chainermn import nccl
    return nccl.NcclCommunicator()


def inter_allreduce_gpu(inter_mpi_comm, size, gpu_buffer_a, gpu_buffer_b, n_bytes_buffer, n_elems_per_node,
                        n_bytes_per_node, cuda_stream):
    from chainer.backends import cuda
    cuda.check_cuda_available()


def chunked_bcast_obj(obj, mpi_comm, max_buf_len=256 * 1024 * 1024, root=0):
    """Returns the root's object, which is sent in pieces of up to max_buf_len bytes."""
    assert 0 < max_buf_len < INT_MAX, 'max_buf_len must be positive and below {}'.format(INT_MAX)
    data = pickle.dumps(obj, pickle.HIGHEST_PROTOCOL) if mpi_comm.rank == root else None
    size = mpi_comm.bcast(None if data is None else len(data), root=root)
    buffer = bytearray(size) if data is None else bytearray(data)
    view = memoryview(buffer)
    for begin in range(0, size, max_buf_len):
        mpi_comm.Bcast([view[begin:begin + max_buf_len], mpi4py.MPI.BYTE], root=root)
    return obj if mpi_comm.rank == root else pickle.loads(buffer)
