# SPDX-License-Identifier: MIT
"""ChainerMN with arrays on devices, compared with the host: mpiexec -n N python mn_device_processes.py COMMUNICATOR"""
import ctypes
import os
import sys

import numpy as np

import chainer
from chainer.backends import cuda
import chainer.functions as F
import chainer.links as L
import chainermn
import chainermn.functions as MF
from chainermn.links import MultiNodeBatchNormalization

comm, host = chainermn.create_communicator(sys.argv[1]), chainermn.create_communicator('naive')
rank, size = comm.rank, comm.size
chainer.disable_experimental_feature_warning = True
cuda.get_device_from_id(comm.intra_rank % cuda.cupy.cuda.runtime.getDeviceCount()).use()


def equal(a, b, rtol=1e-5):
    assert isinstance(a, cuda.ndarray) and not isinstance(b, cuda.ndarray)
    np.testing.assert_allclose(a.get(), b, rtol=rtol, atol=1e-6)


def arrays():
    x = np.arange(6, dtype='f').reshape(2, 3).T + rank
    y = cuda.to_gpu(x.T).T
    equal(comm.allreduce(y), host.allreduce(x))
    for a, b in zip(comm.allgather(y), host.allgather(x)):
        equal(a, b)
    equal(comm.bcast(y if rank == 0 else None), host.bcast(x if rank == 0 else None))
    for a, b in zip(comm.gather(y) or (), host.gather(x) or ()):
        equal(a, b)
    equal(comm.scatter(cuda.to_gpu(np.eye(size)) if rank == 0 else None), np.eye(size)[rank])
    for a, b in zip(comm.alltoall((y,) * size), host.alltoall((x,) * size)):
        equal(a, b)
    comm.send((y, y * 2), (rank + 1) % size, 0)
    a, b = comm.recv((rank - 1) % size, 0)
    equal(a, x - rank + (rank - 1) % size), equal(b, 2 * (x - rank + (rank - 1) % size))


def functions():
    results = []
    for c, there in ((host, lambda a: a), (comm, cuda.to_gpu)):
        x = chainer.Variable(there(np.full(2, rank + 1, 'f')))
        F.sum(sum(MF.allgather(c, x)) * (rank + 1)).backward()
        grads = [x.grad]
        x.cleargrad()
        F.sum(MF.bcast(c, x, 0) * (rank + 1)).backward()
        grads += [x.grad] if rank == 0 else []
        x.cleargrad()
        ys = MF.gather(c, x, 0)
        (F.sum(sum([y * (i + 1) for i, y in enumerate(ys)])) if rank == 0 else ys).backward()
        grads.append(x.grad)
        xs = [chainer.Variable(there(np.full(2, i, 'f'))) for i in range(size)]
        F.sum(sum(MF.alltoall(c, xs)) * (rank + 1)).backward()
        grads += [v.grad for v in xs]
        if rank < 2:
            x.cleargrad()
            if rank == 0:
                delegate = MF.send((x * 2, x), c, 1)
                y, = MF.recv(c, 1, delegate_variable=delegate, force_tuple=True)
                F.sum(y).backward()
                grads.append(x.grad)
            else:
                a, b = MF.recv(c, 0)
                MF.send(a * 2 + b, c, 0).backward()
        r = np.random.RandomState(rank)
        link = MultiNodeBatchNormalization(3, c)
        if c is comm:
            link.to_gpu()
        v = chainer.Variable(there(r.randn(4, 3).astype('f')))
        link.cleargrads()
        y = link(v)
        y.grad = there(r.randn(4, 3).astype('f'))
        y.backward()
        results.append(grads + [y.array, v.grad, link.gamma.grad, link.avg_var])
    for a, b in zip(results[1], results[0]):
        equal(a, b, 1e-4)


class Model(chainer.Chain):
    def __init__(self):
        super(Model, self).__init__()
        r = np.random.RandomState(rank)  # bcast_data() makes the processes equal
        with self.init_scope():
            self.a = L.Linear(4, 5, initialW=r.randn(5, 4))
            self.b = L.Linear(5, 3, initialW=r.randn(3, 5))

    def forward(self, x, t):
        return F.softmax_cross_entropy(self.b(F.tanh(self.a(x))), t)


def trained(c, device, double_buffering=False):
    model = Model()
    if device:
        model.to_gpu()
    optimizer = chainermn.create_multi_node_optimizer(
        chainer.optimizers.MomentumSGD(0.1), c, double_buffering).setup(model)
    r = np.random.RandomState(rank + 7)
    for _ in range(5):
        x, t = r.randn(6, 4).astype('f'), r.randint(0, 3, 6).astype('i')
        optimizer.update(model, cuda.to_gpu(x) if device else x, cuda.to_gpu(t) if device else t)
    if double_buffering:
        optimizer.wait()
    for p in model.params():
        for w in host.allgather(cuda.to_cpu(p.array)):
            np.testing.assert_array_equal(w, cuda.to_cpu(p.array))
    return [p.array for _, p in sorted(model.namedparams())]


def training():
    for a, b in zip(trained(comm, True), trained(host, False)):
        equal(a, b, 1e-4)


def pure_nccl():
    for dtype, tolerance in (('float32', 1e-4), ('float16', 2e-2)):
        c = chainermn.create_communicator('pure_nccl', allreduce_grad_dtype=dtype)
        for a, b in zip(trained(c, True), trained(host, False)):
            equal(a, b, tolerance)
    later = trained(comm, True, double_buffering=True)
    model = Model()
    comm.bcast_data(model)
    grads = []  # of each step; updates are by the mean of the step before, and the first step copies parameters
    optimizer = chainer.optimizers.MomentumSGD(0.1).setup(model)
    r = np.random.RandomState(rank + 7)
    for step in range(5):
        x, t = r.randn(6, 4).astype('f'), r.randint(0, 3, 6).astype('i')
        model.cleargrads()
        model(x, t).backward()
        host.allreduce_grad(model)
        grads.append([p.grad.copy() for p in model.params()])
        if step >= 2:
            for p, g in zip(model.params(), grads[-2]):
                p.grad[...] = g
            optimizer.update()
    for a, (_, b) in zip(later, sorted(model.namedparams())):
        equal(a, b.array, 1e-4)
    if 'nccl_fake' in os.environ.get('CHAINER_NCCL_LIBRARY', ''):
        sums = ctypes.CDLL(os.environ['CHAINER_NCCL_LIBRARY']).fake_sums
        sums.restype = ctypes.c_int64
        assert sums(7) >= 12 and sums(6) == 4  # of float32 and float16
    model = L.Linear(2, 2)
    model.cleargrads()
    F.sum(model(np.ones((1, 2), 'f'))).backward()
    try:
        comm.allreduce_grad(model)
    except RuntimeError as e:
        assert 'must be on a device' in str(e)
    else:
        raise AssertionError('no error')


arrays()
functions()
training()
if sys.argv[1] == 'pure_nccl':
    pure_nccl()
print('passed')
