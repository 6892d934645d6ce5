# SPDX-License-Identifier: MIT
import abc


def _abstract(name, arguments, doc, is_property=False):
    scope = {}
    exec('def {}(self{}):\n    raise NotImplementedError()'.format(name, arguments and ', ' + arguments), scope)
    function = scope[name]
    function.__doc__ = doc
    return property(abc.abstractmethod(function)) if is_property else abc.abstractmethod(function)


class CommunicatorBase(metaclass=abc.ABCMeta):
    """The interface of communicators: between processes, arrays, objects, and the parameters of models."""

    rank = _abstract('rank', '', 'The number of this process, from 0.', True)
    size = _abstract('size', '', 'The number of processes.', True)
    intra_rank = _abstract('intra_rank', '', 'The number of this process among those of its node.', True)
    inter_rank = _abstract('inter_rank', '', 'The number of this node.', True)
    inter_size = _abstract('inter_size', '', 'The number of nodes.', True)

    @property
    def intra_size(self):
        """The number of processes of this node."""
        raise NotImplementedError()

    split = _abstract('split', 'color, key',
                      'Returns a communicator of the processes with the same color, ordered by key.')
    alltoall = _abstract('alltoall', 'xs', 'Sends an array to each process; returns the tuple of received arrays.')
    send = _abstract('send', 'data, dest, tag', 'Sends an array or a tuple of arrays to a process.')
    recv = _abstract('recv', 'source, tag', 'Returns the array or tuple of arrays that a process sends.')
    bcast = _abstract('bcast', 'data, max_buf_len=None, root=0', 'Returns the array of the root.')
    gather = _abstract('gather', 'data, root=0', 'Returns the tuple of all arrays on the root, elsewhere None.')
    allgather = _abstract('allgather', 'x', 'Returns the tuple of all arrays.')
    allreduce = _abstract('allreduce', 'data', 'Returns the sum of all arrays.')
    send_obj = _abstract('send_obj', 'obj, dest, tag', 'Sends an object to a process.')
    recv_obj = _abstract('recv_obj', 'source, tag', 'Returns the object that a process sends.')
    bcast_obj = _abstract('bcast_obj', 'obj, max_buf_len=None, root=0', 'Returns the object of the root.')
    gather_obj = _abstract('gather_obj', 'obj, root=0', 'Returns the list of all objects on the root, elsewhere None.')
    allreduce_obj = _abstract('allreduce_obj', 'obj', 'Returns the sum of all objects.')
    bcast_data = _abstract('bcast_data', 'model', 'Copies the parameters of the process 0 to all models.')
    allreduce_grad = _abstract('allreduce_grad', 'model', 'Replaces gradients by their averages over all processes.')

    def broadcast_data(self, model):
        """bcast_data() under an older name."""
        self.bcast_data(model)
