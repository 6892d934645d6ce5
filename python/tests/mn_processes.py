# SPDX-License-Identifier: MIT
"""What each process of chainermn_test.py checks: mpiexec -n N python mn_processes.py FOLDER"""
import sys

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
import chainermn
import chainermn.functions as MF
from chainermn.links import MultiNodeBatchNormalization

comm = chainermn.create_communicator(sys.argv[2])
rank, size = comm.rank, comm.size
chainer.disable_experimental_feature_warning = True


def equal(a, b):
    np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def arrays():
    x = np.arange(3, dtype='f') + rank
    everyone = [np.arange(3) + r for r in range(size)]
    equal(comm.allreduce(x), sum(everyone))
    for a, b in zip(comm.allgather(x), everyone):
        equal(a, b)
    equal(comm.bcast(x if rank == 0 else None), everyone[0])
    assert (comm.gather(x[:rank + 1]) is None) == (rank != 0)
    equal(comm.scatter(np.eye(size) if rank == 0 else None), np.eye(size)[rank])
    equal(np.concatenate(comm.alltoall(tuple([np.full(rank + 1, i) for i in range(size)]))),
          np.full(size * (size + 1) // 2, rank))
    assert comm.bcast_obj({'a': 1} if rank == 0 else None) == {'a': 1} and comm.allreduce_obj(1) == size
    for bad in (x.astype('e'), (x, x)):
        try:
            comm.allreduce(bad)
        except TypeError:
            continue
        raise AssertionError('no TypeError')
    part = comm.split(rank % 2, rank)
    equal(part.allreduce(np.ones(1)), len(range(rank % 2, size, 2)))


def functions():
    x = chainer.Variable(np.full(2, rank + 1, 'f'))
    F.sum(sum(MF.allgather(comm, x)) * (rank + 1)).backward()
    equal(x.grad, size * (size + 1) / 2)
    x.cleargrad()
    F.sum(MF.bcast(comm, x, 0) * (rank + 1)).backward()
    if rank == 0:
        equal(x.grad, size * (size + 1) / 2)
    x.cleargrad()
    ys = MF.gather(comm, x, 0)
    (F.sum(sum([y * (i + 1) for i, y in enumerate(ys)])) if rank == 0 else ys).backward()
    equal(x.grad, rank + 1)
    xs = [chainer.Variable(np.full(2, i, 'f')) for i in range(size)]
    F.sum(sum(MF.alltoall(comm, xs)) * (rank + 1)).backward()
    for i, v in enumerate(xs):
        equal(v.grad, i + 1)
    if size > 1 and rank < 2:
        x.cleargrad()
        if rank == 0:
            delegate = MF.send((x * 2, x), comm, 1)
            y, = MF.recv(comm, 1, delegate_variable=delegate, force_tuple=True)
            F.sum(y).backward()
            equal(x.grad, 5)
        else:
            a, b = MF.recv(comm, 0)
            MF.send(a * 2 + b, comm, 0).backward()


def batch_normalization():
    r = np.random.RandomState(0)
    x, gy = r.randn(size, 4, 3).astype('f'), r.randn(size, 4, 3).astype('f')
    whole, mine = L.BatchNormalization(3, eps=1e-5), MultiNodeBatchNormalization(3, comm, eps=1e-5)
    results = []
    for link, a, g in ((whole, x.reshape(-1, 3), gy.reshape(-1, 3)), (mine, x[rank], gy[rank])):
        v = chainer.Variable(a)
        link.cleargrads()
        y = link(v)
        y.grad = g
        y.backward()
        results.append((y.array, v.grad))
    for a, b in zip(*results):
        np.testing.assert_allclose(a.reshape(size, 4, 3)[rank], b, rtol=1e-3, atol=1e-4)
    equal(mine.gamma.grad, whole.gamma.grad / size)


def chain_list():
    if size != 2:
        return
    ws = [np.random.RandomState(i).randn(3, 3).astype('f') for i in range(3)]
    model = chainermn.MultiNodeChainList(comm)
    for i, (owner, rank_in, rank_out) in enumerate(((0, None, 1), (1, 0, 0), (0, 1, None))):
        if rank == owner:
            model.add_link(L.Linear(3, 3, initialW=ws[i]), rank_in=rank_in, rank_out=rank_out)
    x = np.ones((2, 3), 'f')
    model.cleargrads()
    if rank == 0:
        F.sum(model(x)).backward()
    else:
        model().backward()
    whole = chainer.Sequential(*[L.Linear(3, 3, initialW=w) for w in ws])
    whole.cleargrads()
    F.sum(whole(x)).backward()
    for mine, other in zip(model, [whole[0], whole[2]] if rank == 0 else [whole[1]]):
        equal(mine.W.grad, other.W.grad)


def training(folder):
    r = np.random.RandomState(0)
    data = chainer.datasets.TupleDataset(r.randn(10, 4).astype('f'), r.randint(0, 3, 10).astype('i'))
    part = chainermn.scatter_dataset(data if rank == 0 else None, comm, shuffle=True, seed=1)
    assert len(part) == -(-10 // size)
    model = L.Classifier(L.Linear(4, 3))
    optimizer = chainermn.create_multi_node_optimizer(chainer.optimizers.Adam(), comm).setup(model)
    assert optimizer.target is model
    updater = chainer.training.StandardUpdater(chainer.iterators.SerialIterator(part, 2), optimizer)
    trainer = chainer.training.Trainer(updater, (4, 'iteration'), out=folder)
    evaluator = chainer.training.extensions.Evaluator(
        chainer.iterators.SerialIterator(part, 2, repeat=False, shuffle=False), model)
    trainer.extend(chainermn.create_multi_node_evaluator(evaluator, comm), trigger=(2, 'iteration'))
    checkpointer = chainermn.create_multi_node_checkpointer('run', comm, path=folder)
    trainer.extend(checkpointer, trigger=(2, 'iteration'))
    trainer.run()
    assert optimizer.t == 3  # the first update copies the weights of the process 0
    for w in comm.allgather(model.predictor.W.array):
        equal(w, model.predictor.W.array)
    means = comm.mpi_comm.allgather(evaluator()['validation/main/loss'])
    assert len(set(means)) == 1
    it = chainermn.iterators.create_multi_node_iterator(
        chainer.iterators.SerialIterator(data, 4, repeat=False) if rank == 0 else None, comm)
    batches = [np.concatenate([x for x, _ in batch]) for batch in it]
    assert len(batches) == 3 and it.epoch == 1
    for other in comm.allgather(np.concatenate(batches)):
        equal(other, np.concatenate(batches))


arrays()
functions()
batch_normalization()
chain_list()
training(sys.argv[1])
print('passed')
