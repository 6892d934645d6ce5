# SPDX-License-Identifier: MIT
import warnings

import numpy

from chainer.datasets import SubDataset


class DataSizeError(RuntimeError):
    """A dataset that does not fit into a message. (scatter_dataset() sends it in pieces.)"""

    def __init__(self, ds_size=None, pickled_size=None):
        super(DataSizeError, self).__init__('{} examples of {} bytes'.format(ds_size, pickled_size))
        self.pickled_size, self.dataset_size = pickled_size, ds_size

    def num_split(self):
        """The number of pieces below 256 MiB."""
        return self.pickled_size // (256 * 1024 * 1024) + 1


def scatter_dataset(dataset, comm, root=0, shuffle=False, seed=None, max_buf_len=256 * 1024 * 1024):
    """Sends the root's dataset to all processes and returns the part of this one.

    All parts have the same length, so that they overlap if the number of processes does not divide that of examples."""
    assert 0 <= root < comm.size
    order = None
    if comm.rank == root and shuffle:
        order = numpy.random.RandomState(seed).permutation(len(dataset))
    dataset, order = comm.bcast_obj((dataset, order) if comm.rank == root else None, max_buf_len=max_buf_len, root=root)
    n = len(dataset)
    begin = n * comm.rank // comm.size
    return SubDataset(dataset, begin, min(n, begin + (n + comm.size - 1) // comm.size), order)


def get_n_iterations_for_one_epoch(dataset, local_batch_size, comm):
    """Returns the number of iterations of an epoch. (Deprecated: use triggers in epochs.)"""
    warnings.warn('get_n_iterations_for_one_epoch is deprecated; use triggers in epochs', DeprecationWarning)
    n = None
    if comm.rank == 0:
        n = (len(dataset) + local_batch_size * comm.size - 1) // (local_batch_size * comm.size)
    return comm.bcast_obj(n)


def get_epoch_trigger(n_epochs, dataset, local_batch_size, comm):
    """Returns a trigger of iterations. (Deprecated: use triggers in epochs.)"""
    warnings.warn('get_epoch_trigger is deprecated; use triggers in epochs', DeprecationWarning)
    return n_epochs * get_n_iterations_for_one_epoch(dataset, local_batch_size, comm), 'iteration'
