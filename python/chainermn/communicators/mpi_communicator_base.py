# SPDX-License-Identifier: MIT
import mpi4py.MPI
import numpy

from chainer._core import devices
from chainer.backends import cuda
from chainermn.communicators import _communication_utility, _memory_utility, communicator_base
from chainermn.communicators._communication_utility import chunked_bcast_obj
from chainer.utils import collections_abc

_dtype_mpi_type = {numpy.dtype(numpy.int32): mpi4py.MPI.INT, numpy.dtype(numpy.int64): mpi4py.MPI.LONG,
                   numpy.dtype(numpy.float32): mpi4py.MPI.FLOAT, numpy.dtype(numpy.float64): mpi4py.MPI.DOUBLE}


def _is_numpy_array(array):
    return isinstance(array, numpy.ndarray)


def _is_cupy_array(array):
    return isinstance(array, cuda.ndarray)


def _on_host(array):
    """An array in the host's memory without gaps, which MPI can read."""
    return numpy.ascontiguousarray(array.get() if _is_cupy_array(array) else array)


def _placed(array, is_host):
    """An array, or each of a tuple, on the current device unless is_host."""
    return array if is_host or not cuda.available else cuda.to_gpu(array)


def _cnt_to_dsp(cnt):
    """The positions of parts with these lengths."""
    return [0] + numpy.cumsum(cnt)[:-1].tolist()


class _MessageType(object):
    """The shapes and the dtype of an array or a tuple of arrays, which are sent before them."""

    def __init__(self, obj):
        self.is_tuple = not (_is_numpy_array(obj) or _is_cupy_array(obj))
        if self.is_tuple and not isinstance(obj, collections_abc.Iterable):
            raise TypeError('an array or a tuple of arrays can be sent, not {}'.format(type(obj)))
        arrays = list(obj) if self.is_tuple else [obj]
        if not all([_is_numpy_array(a) or _is_cupy_array(a) for a in arrays]):
            raise TypeError('an array or a tuple of arrays can be sent, not {}'.format(type(obj)))
        self.is_host = not any([_is_cupy_array(a) for a in arrays])
        self.narr, self.ndims, self.shapes = len(arrays), [a.ndim for a in arrays], [a.shape for a in arrays]
        dtypes = [a.dtype for a in arrays]
        if not all([d == dtypes[0] for d in dtypes]):
            raise TypeError('All dtypes must be the same, not {}'.format(dtypes))
        self.dtype = dtypes[0] if dtypes else None

    def get_array_module(self):
        return numpy if self.is_host else cuda.cupy


def _check_dtype(caller, msgtype):
    if msgtype.dtype not in _dtype_mpi_type:
        raise TypeError('{} does not support dtype {}'.format(caller, msgtype.dtype))


def _check_dtypes_are_same(msgtypes):
    if any([t.dtype != msgtypes[0].dtype for t in msgtypes]):
        raise TypeError('all processes must use the same dtype, not {}'.format([str(t.dtype) for t in msgtypes]))


def _get_mpi_type(msgtype):
    return _dtype_mpi_type[msgtype.dtype]


def _flat(arrays, dtype):
    return numpy.concatenate([_on_host(a).ravel() for a in arrays]) if arrays else numpy.empty(0, dtype)


def _parts(buffer, shapes):
    sizes = [int(numpy.prod(s)) for s in shapes]
    return tuple([buffer[b:b + n].reshape(s) for b, n, s in zip(_cnt_to_dsp(sizes), sizes, shapes)])


class MpiCommunicatorBase(communicator_base.CommunicatorBase):
    """A communicator over one of mpi4py's. Arrays have the dtypes int32, int64, float32 or float64.

    Arrays on devices pass through the host; results are on the current device if the argument, or what is received,
    is on one. Gradients on devices are averaged by NCCL in the communicators that say so."""

    def __init__(self, mpi_comm):
        self.mpi_comm = mpi_comm
        self._groups = {}
        self._init_ranks()

    def _init_ranks(self):
        ranks = _communication_utility.init_ranks(self.mpi_comm)
        assert ranks[0] == self.mpi_comm.rank
        self._intra_rank, self._intra_size, self._inter_rank, self._inter_size = ranks[1:]

    @property
    def rank(self):
        return self.mpi_comm.rank

    @property
    def size(self):
        return self.mpi_comm.size

    @property
    def intra_rank(self):
        return self._intra_rank

    @property
    def intra_size(self):
        return self._intra_size

    @property
    def inter_rank(self):
        return self._inter_rank

    @property
    def inter_size(self):
        return self._inter_size

    def split(self, color, key):
        return self.__class__(mpi_comm=self.mpi_comm.Split(color, key))

    def _one(self, caller, x):
        """The message type of one array."""
        msgtype = _MessageType(x)
        if msgtype.is_tuple:
            raise TypeError('{} takes one array, not a tuple'.format(caller))
        _check_dtype(caller, msgtype)
        return msgtype

    def alltoall(self, xs):
        if len(xs) != self.size:
            raise ValueError('alltoall: {} arrays for {} processes'.format(
                len(xs), self.size))
        msgtype = _MessageType(tuple(xs))
        _check_dtype('alltoall', msgtype)
        _check_dtypes_are_same(self.mpi_comm.allgather(msgtype))
        shapes = self.mpi_comm.alltoall(msgtype.shapes)
        sent, received = [x.size for x in xs], [int(numpy.prod(s)) for s in shapes]
        buffer, kind = numpy.empty(sum(received), msgtype.dtype), _get_mpi_type(msgtype)
        self.mpi_comm.Alltoallv([_flat(xs, msgtype.dtype), (sent, _cnt_to_dsp(sent)), kind],
                                [buffer, (received, _cnt_to_dsp(received)), kind])
        return _placed(_parts(buffer, shapes), msgtype.is_host)

    def send(self, data, dest, tag):
        msgtype = _MessageType(data)
        _check_dtype('send', msgtype)
        self.mpi_comm.send(msgtype, dest=dest, tag=tag)
        for array in data if msgtype.is_tuple else [data]:
            self.mpi_comm.Send(_on_host(array), dest=dest, tag=tag)

    def recv(self, source, tag):
        msgtype = self.mpi_comm.recv(source=source, tag=tag)
        arrays = []
        for shape in msgtype.shapes:
            arrays.append(numpy.empty(shape, msgtype.dtype))
            self.mpi_comm.Recv(arrays[-1], source=source, tag=tag)
        return _placed(tuple(arrays) if msgtype.is_tuple else arrays[0], msgtype.is_host)

    def bcast(self, x, max_buf_len=None, root=0):
        msgtype = self.mpi_comm.bcast(self._one('bcast', x) if self.rank == root else None, root)
        buffer = _on_host(x) if self.rank == root else numpy.empty(msgtype.shapes[0], msgtype.dtype)
        self.mpi_comm.Bcast(buffer, root)
        return x if self.rank == root else _placed(buffer, msgtype.is_host)

    def gather(self, x, root=0):
        msgtype = self._one('gather', x)
        msgtypes = self.mpi_comm.gather(msgtype, root)
        x, kind = _on_host(x), _get_mpi_type(msgtype)
        if self.rank != root:
            self.mpi_comm.Gatherv([x, kind], None, root)
            return None
        _check_dtypes_are_same(msgtypes)
        shapes = [t.shapes[0] for t in msgtypes]
        sizes = [int(numpy.prod(s)) for s in shapes]
        buffer = numpy.empty(sum(sizes), msgtype.dtype)
        self.mpi_comm.Gatherv([x, kind], [buffer, (sizes, _cnt_to_dsp(sizes)), kind], root)
        return _placed(_parts(buffer, shapes), msgtype.is_host)

    def allgather(self, x):
        msgtype = self._one('allgather', x)
        msgtypes = self.mpi_comm.allgather(msgtype)
        _check_dtypes_are_same(msgtypes)
        shapes = [t.shapes[0] for t in msgtypes]
        sizes, kind = [int(numpy.prod(s)) for s in shapes], _get_mpi_type(msgtype)
        buffer = numpy.empty(sum(sizes), msgtype.dtype)
        self.mpi_comm.Allgatherv([_on_host(x), kind], [buffer, (sizes, _cnt_to_dsp(sizes)), kind])
        return _placed(_parts(buffer, shapes), msgtype.is_host)

    def scatter(self, xs, root=0):
        """Returns the array of this process, of the root's tuple of arrays or rows of one array."""
        msgtype = None
        if self.rank == root:
            if len(xs) != self.size:
                raise ValueError('scatter: {} arrays for {} processes'.format(
                    len(xs), self.size))
            xs = tuple(xs)
            msgtype = _MessageType(xs)
            _check_dtype('scatter', msgtype)
        msgtype = self.mpi_comm.bcast(msgtype, root)
        sizes, kind = [int(numpy.prod(s)) for s in msgtype.shapes], _get_mpi_type(msgtype)
        buffer = numpy.empty(msgtype.shapes[self.rank], msgtype.dtype)
        sent = [_flat(xs, msgtype.dtype), (sizes, _cnt_to_dsp(sizes)), kind] if self.rank == root else None
        self.mpi_comm.Scatterv(sent, [buffer, kind], root)
        return _placed(buffer, msgtype.is_host)

    def allreduce(self, x):
        msgtype = self._one('allreduce', x)
        x = _on_host(x)
        y = numpy.empty(x.shape, msgtype.dtype)
        self.mpi_comm.Allreduce(x, y)
        return _placed(y, msgtype.is_host)

    def send_obj(self, obj, dest, tag=0):
        self.mpi_comm.send(obj, dest=dest, tag=tag)

    def recv_obj(self, source, tag=0):
        return self.mpi_comm.recv(source=source, tag=tag)

    def bcast_obj(self, obj, max_buf_len=256 * 1024 * 1024, root=0):
        return chunked_bcast_obj(obj, self.mpi_comm, max_buf_len=max_buf_len, root=root)

    def gather_obj(self, obj, root=0):
        return self.mpi_comm.gather(obj, root=root)

    def allreduce_obj(self, obj):
        return self.mpi_comm.allreduce(obj)

    def bcast_data(self, model):
        for p in _memory_utility.extract_params_set_data(model):
            array = _on_host(p.array)
            self.mpi_comm.Bcast(array)
            p.array[...] = cuda.like(array, p.array)

    def _group(self, device):
        """The group of this device and those of the other processes, or None if one of them has no NCCL."""
        if device not in self._groups:
            keys = self.mpi_comm.allgather(devices.group_key(device))
            self._groups[device] = None if not all(keys) else devices.Group(
                device, keys[0], self.rank, self.size)
        return self._groups[device]

    def _grads_by_kind(self, model):
        """The parameters with a gradient, in lists of one dtype and of the host or of a device, and its number."""
        groups = {}
        for p in _memory_utility.extract_params_set_grad(model):
            on_device = _is_cupy_array(p.grad)
            groups.setdefault((str(p.grad.dtype), on_device), []).append(p)
        return [(group, group[0].grad.device.id if kind[1] else None) for kind, group in sorted(groups.items())]

    def _allreduce_packed(self, model, exchange=True):
        """Averages the gradients in one buffer for each dtype."""
        for group, _ in self._grads_by_kind(model):
            self._mean_by_mpi(group, exchange)

    def _mean_by_mpi(self, group, exchange=True):
        dtype = group[0].grad.dtype
        buffer = numpy.empty(sum([p.size for p in group]), dtype)
        _memory_utility.pack_params(group, dtype.itemsize, 'grad', buffer)
        if exchange:
            self.mpi_comm.Allreduce(mpi4py.MPI.IN_PLACE, buffer)
            buffer /= self.size
        _memory_utility.unpack_params(group, dtype.itemsize, 'grad', buffer)

    def _allreduce_by_nccl(self, model):
        """As _allreduce_packed(); on devices by NCCL, if all processes have it."""
        for group, device in self._grads_by_kind(model):
            nccl = None if device is None else self._group(device)
            if nccl is None:
                self._mean_by_mpi(group)
                continue
            buffer = _memory_utility.packed_on_device(group, self.size)
            nccl.sum(buffer)
            nccl.wait()
            _memory_utility.unpack_params(group, buffer.itemsize, 'grad', buffer)
