# SPDX-License-Identifier: MIT
from chainer import Function, Variable
from chainer.backends import cuda
from chainer.utils import experimental

from chainermn.functions.pseudo_connect import empty


def _sum(arrays):
    total = arrays[0].copy()
    for a in arrays[1:]:
        total += a
    return total


class AllGather(Function):
    """Returns the arrays of all processes."""

    def __init__(self, comm):
        self.comm = comm

    def forward(self, inputs):
        self.retain_inputs(())
        ys = self.comm.allgather(inputs[0])
        self._outputs = _kinds(ys)
        return ys

    def backward(self, inputs, grad_outputs):
        return _sum(self.comm.alltoall(_filled(grad_outputs, self._outputs))),


def _kinds(arrays):
    return [(a.shape, a.dtype, cuda.get_array_module(a)) for a in arrays]


def _filled(grads, outputs):
    return tuple([xp.zeros(shape, dtype) if g is None else g for g, (shape, dtype, xp) in zip(grads, outputs)])


class AllToAll(Function):
    """Sends an array to each process; returns the received ones."""

    def __init__(self, comm):
        self.comm = comm

    def forward(self, inputs):
        if len(inputs) != self.comm.size:
            raise ValueError('alltoall: {} arrays for {} processes'.format(
                len(inputs), self.comm.size))
        self.retain_inputs(())
        ys = self.comm.alltoall(inputs)
        self._outputs = _kinds(ys)
        return ys

    def backward(self, inputs, grad_outputs):
        return self.comm.alltoall(_filled(grad_outputs, self._outputs))


class Bcast(Function):
    """Returns the array of the root."""

    def __init__(self, comm, root):
        self.comm, self.root = comm, root

    def forward(self, inputs):
        self.retain_inputs(())
        return self.comm.bcast(inputs[0] if self.comm.rank == self.root else None, root=self.root),

    def backward(self, inputs, grad_outputs):
        gxs = self.comm.gather(grad_outputs[0], self.root)
        return (empty() if gxs is None else _sum(gxs)),


class Gather(Function):
    """Returns the arrays of all processes on the root, elsewhere an empty one."""

    def __init__(self, comm, root):
        self.comm, self.root = comm, root

    def forward(self, inputs):
        self.retain_inputs(())
        ys = self.comm.gather(inputs[0], self.root)
        if ys is None:
            return empty(),
        self._outputs = _kinds(ys)
        return ys

    def backward(self, inputs, grad_outputs):
        gys = _filled(grad_outputs, self._outputs) if self.comm.rank == self.root else None
        return self.comm.scatter(gys, self.root),


class Scatter(Function):
    """Returns the array for this process, of the root's arrays."""

    def __init__(self, comm, root):
        self.comm, self.root = comm, root

    def forward(self, inputs):
        self.retain_inputs(())
        return self.comm.scatter(inputs if self.comm.rank == self.root else None, self.root),

    def backward(self, inputs, grad_outputs):
        gxs = self.comm.gather(grad_outputs[0], self.root)
        return (empty(),) if gxs is None else gxs


def allgather(comm, x):
    """Returns a tuple of the variables of all processes."""
    experimental('chainermn.functions.all_gather')
    ys = AllGather(comm)(x)
    return ys if isinstance(ys, tuple) else (ys,)


def alltoall(comm, xs):
    """Sends a variable to each process; returns a tuple of the received ones."""
    experimental('chainermn.functions.all_to_all')
    if len(xs) != comm.size:
        raise ValueError('alltoall: {} variables for {} processes'.format(
            len(xs), comm.size))
    ys = AllToAll(comm)(*xs)
    return ys if isinstance(ys, tuple) else (ys,)


def bcast(comm, x, root=0):
    """Returns the variable of the root; elsewhere x is not read."""
    experimental('chainermn.functions.bcast')
    return Bcast(comm, root)(x if comm.rank == root else Variable(empty()))


def gather(comm, x, root=0):
    """Returns a tuple of the variables of all processes on the root, elsewhere a delegate variable."""
    experimental('chainermn.functions.gather')
    ys = Gather(comm, root)(x)
    if comm.rank == root:
        return ys if isinstance(ys, tuple) else (ys,)
    ys.grad = empty()
    return ys


def scatter(comm, xs, root=0):
    """Returns the variable for this process, of the root's variables; elsewhere xs is not read."""
    experimental('chainermn.functions.scatter')
    return Scatter(comm, root)(*(xs if comm.rank == root else (Variable(empty()),)))
