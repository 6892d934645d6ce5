# SPDX-License-Identifier: MIT
import numpy

from chainer.dataset import iterator


def _is_valid_type(element):
    """Returns true for a number or array, and for a pair of them."""
    if isinstance(element, tuple) and len(element) == 2:
        return all([hasattr(e, 'dtype') for e in element])
    return hasattr(element, 'dtype')


def _build_ctrl_msg(stop, is_valid_data_type, is_paired_dataset, is_new_epoch, current_position):
    """The message before a batch."""
    return numpy.array([stop, is_valid_data_type, is_paired_dataset, is_new_epoch, current_position], numpy.float64)


def _parse_ctrl_msg(msg):
    return bool(msg[0]), bool(msg[1]), bool(msg[2]), bool(msg[3]), int(msg[4])


def _check(valid):
    if not valid:
        raise TypeError('create_multi_node_iterator: examples must be arrays, or pairs of an array and a label')


class _MultiNodeIteratorMaster(iterator.Iterator):
    """Sends the batches of an iterator to the other processes."""

    def __init__(self, actual_iterator, communicator, rank_master):
        own = self.__dict__
        own['communicator'], own['rank_master'], own['actual_iterator'] = communicator, rank_master, actual_iterator
        self._send_dataset_size()

    def _send_dataset_size(self):
        it = self.actual_iterator
        self.communicator.bcast_obj((len(it.dataset), it.batch_size, it.epoch, it.current_position, it.is_new_epoch),
                                    root=self.rank_master)

    def __next__(self):
        comm, root = self.communicator, self.rank_master
        try:
            batch = self.actual_iterator.__next__()
        except StopIteration:
            comm.bcast(_build_ctrl_msg(True, False, False, False, 0), root=root)
            raise
        first = batch[0] if batch else numpy.zeros(0, numpy.float32)
        valid, paired = all([_is_valid_type(e) for e in batch]), isinstance(first, tuple)
        comm.bcast(_build_ctrl_msg(False, valid, paired, self.is_new_epoch, self.current_position), root=root)
        _check(valid)
        if paired:
            for k, dtype in ((0, numpy.float32), (1, numpy.int32)):
                comm.bcast(numpy.ascontiguousarray([e[k] for e in batch], dtype=dtype), root=root)
        else:
            comm.bcast(numpy.ascontiguousarray(batch, dtype=numpy.float32), root=root)
        return batch

    next = __next__

    def __getattr__(self, attr_name):
        return getattr(self.__dict__['actual_iterator'], attr_name)

    def __setattr__(self, attr_name, value):
        setattr(self.__dict__['actual_iterator'], attr_name, value)

    @property
    def epoch(self):
        return self.actual_iterator.epoch

    @property
    def current_position(self):
        return self.actual_iterator.current_position

    @property
    def epoch_detail(self):
        return self.actual_iterator.epoch_detail

    @property
    def previous_epoch_detail(self):
        return self.actual_iterator.previous_epoch_detail

    @property
    def is_new_epoch(self):
        return self.actual_iterator.is_new_epoch

    def finalize(self):
        self.actual_iterator.finalize()

    def serialize(self, serializer):
        self.actual_iterator.serialize(serializer)
        it = self.actual_iterator
        self.communicator.bcast_obj((it.current_position, it.epoch, it.is_new_epoch, getattr(it, 'order', None),
                                     getattr(it, '_order', None), it.previous_epoch_detail), root=self.rank_master)


class _MultiNodeIteratorSlave(iterator.Iterator):
    """Receives the batches of the master."""

    def __init__(self, communicator, rank_master):
        self.communicator, self.rank_master = communicator, rank_master
        self.dataset_size, self.batch_size, self.epoch, self.current_position, self.is_new_epoch = \
            communicator.bcast_obj(None, root=rank_master)
        self._previous_epoch_detail, self._order = -1., None

    def __next__(self):
        comm, root = self.communicator, self.rank_master
        before = self.epoch_detail
        stop, valid, paired, self.is_new_epoch, self.current_position = _parse_ctrl_msg(comm.bcast(None, root=root))
        if stop:
            raise StopIteration
        _check(valid)
        self._previous_epoch_detail = before
        if self.is_new_epoch:
            self.epoch += 1
        if paired:
            return list(zip(comm.bcast(None, root=root), comm.bcast(None, root=root)))
        return list(comm.bcast(None, root=root))

    next = __next__

    @property
    def epoch_detail(self):
        return self.epoch + self.current_position / self.dataset_size

    @property
    def previous_epoch_detail(self):
        return None if self._previous_epoch_detail < 0 else self._previous_epoch_detail

    def serialize(self, serializer):
        position, epoch, new, order, order2, previous = self.communicator.bcast_obj(None, root=self.rank_master)
        self.current_position = serializer('current_position', position)
        self.epoch = serializer('epoch', epoch)
        self.is_new_epoch = serializer('is_new_epoch', new)
        self._order = order if order2 is None else order2
        if self._order is not None:
            serializer('order', self._order)
        self._previous_epoch_detail = serializer('previous_epoch_detail', -1. if previous is None else previous)


def create_multi_node_iterator(actual_iterator, communicator, rank_master=0):
    """Returns an iterator whose batches are those of the master in all processes, which do not read actual_iterator.

    Examples are arrays of float32, or pairs of an array and a label. serialize() must be called by all processes."""
    if communicator.rank == rank_master:
        return _MultiNodeIteratorMaster(actual_iterator, communicator, rank_master)
    return _MultiNodeIteratorSlave(communicator, rank_master)
