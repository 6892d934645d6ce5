# SPDX-License-Identifier: MIT
from chainer import Function, Variable
from chainer.backends import cuda
from chainer.utils import experimental

from chainermn.functions.pseudo_connect import empty, placed


class _PointToPoint(Function):
    """An exchange with one process."""

    def __init__(self, comm, peer_rank, peer_tag):
        self.comm, self.peer_rank, self.peer_tag = comm, peer_rank, peer_tag

    @property
    def label(self):
        return '{} (peer_rank: {})'.format(self.__class__.__name__, self.peer_rank)


class Send(_PointToPoint):
    """Sends its inputs but the last one, an empty array; its gradients are received from the same process."""

    def forward(self, inputs):
        self.retain_inputs(())
        arrays = tuple(inputs[:-1])
        self._xp = cuda.get_array_module(*arrays)
        self.comm.send(arrays[0] if len(arrays) == 1 else arrays, self.peer_rank, self.peer_tag)
        return empty(self._xp),

    def backward(self, inputs, grad_outputs):
        grads = self.comm.recv(self.peer_rank, self.peer_tag)
        grads = grads if isinstance(grads, tuple) else (grads,)
        return tuple([placed(g, self._xp) for g in grads]) + (empty(self._xp),)


class Recv(_PointToPoint):
    """Receives arrays; their gradients are sent to the same process."""

    def forward(self, inputs):
        self.retain_inputs(())
        data = self.comm.recv(self.peer_rank, self.peer_tag)
        data = data if isinstance(data, tuple) else (data,)
        self._xp = cuda.get_array_module(*inputs)
        self._outputs = [(x.shape, x.dtype, cuda.get_array_module(x)) for x in data]
        return data

    def backward(self, inputs, grad_outputs):
        grads = tuple([xp.zeros(shape, dtype) if g is None else g
                       for g, (shape, dtype, xp) in zip(grad_outputs, self._outputs)])
        self.comm.send(grads[0] if len(grads) == 1 else grads, self.peer_rank, self.peer_tag)
        return empty(self._xp),


def send(x, communicator, rank, tag=0):
    """Sends a variable, or a tuple or list of variables, to a process; returns a delegate variable.

    A backward pass must go through the delegate variable, to receive the gradient: return it from the model, pass it to
    recv(), or connect it with pseudo_connect()."""
    experimental('chainermn.functions.send')
    if rank == communicator.rank:
        raise ValueError('rank {} is this process, which would wait for itself'.format(rank))
    xs = tuple(x) if isinstance(x, (list, tuple)) else (x,)
    if not xs:
        raise ValueError('send: there is nothing to send')
    xp = cuda.get_array_module(*xs)
    delegate = Send(communicator, peer_rank=rank, peer_tag=tag)(*xs, Variable(empty(xp)))
    delegate.name = 'delegate_variable'
    delegate.grad = empty(xp)  # so that a backward pass may begin here
    return delegate


def recv(communicator, rank, delegate_variable=None, tag=0, force_tuple=False):
    """Returns the variable that a process sends: a tuple if it sends several, or with force_tuple."""
    experimental('chainermn.functions.recv')
    if rank == communicator.rank:
        raise ValueError('rank {} is this process, which would wait for itself'.format(rank))
    if delegate_variable is None:
        delegate_variable = Variable(empty())
    ys = Recv(communicator, peer_rank=rank, peer_tag=tag)(delegate_variable)
    return (ys,) if force_tuple and not isinstance(ys, tuple) else ys
