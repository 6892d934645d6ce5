# SPDX-License-Identifier: MIT
"""Datasets, iterators, converters and serializers."""
import io
import pickle

import numpy

import chainer
from chainer import datasets, iterators, serializers


def _number(r, n):
    return r.one(r.int(-n - 1, n + 1), slice(r.one(None, r.int(-3, 3)), r.one(None, r.int(-3, n)), r.one(None, 1, 2, -1)),
                 [r.int(-n, n - 1) for _ in range(r.int(0, 3))], numpy.array([r.int(0, n - 1)]))


def sets(r, see):
    n = r.int(1, 6)
    a, b = r.array((n, 2)), [k * 10 for k in range(n)]
    d = r.one(
        lambda: datasets.TupleDataset(a, b), lambda: datasets.DictDataset(x=a, y=b),
        lambda: datasets.ConcatenatedDataset(b, list(range(r.int(0, 3)))),
        lambda: datasets.SubDataset(b, r.int(-1, 2), r.int(1, n), r.one(None, list(reversed(range(n))))),
        lambda: datasets.TransformDataset(b, lambda v: v + 1),
        lambda: datasets.TupleDataset(), lambda: datasets.TupleDataset(a, b[:-1]), lambda: datasets.DictDataset(),
        lambda: datasets.split_dataset(b, r.int(-1, n + 1), r.one(None, list(range(n))))[r.int(0, 1)],
        lambda: datasets.split_dataset_random(b, r.int(0, n), r.one(None, 3))[r.int(0, 1)],
        lambda: datasets.get_cross_validation_datasets(b, r.int(1, 4))[0][r.int(0, 1)],
        lambda: datasets.get_cross_validation_datasets_random(b, r.int(1, n), r.one(None, 1))[0][0])()
    see(len(d))
    for _ in range(3):
        see.attempt(d.__getitem__, _number(r, n))
    if hasattr(d, 'get_example'):
        see.attempt(d.get_example, r.int(0, n - 1))


def pickled(r, see):
    stream = io.BytesIO()
    with datasets.PickleDatasetWriter(stream) as w:
        for k in range(r.int(0, 4)):
            w.write(r.one(k, 'x%d' % k, (k, r.array(2))))
    stream.seek(0)
    d = datasets.PickleDataset(stream)
    see(len(d))
    see.attempt(d.__getitem__, r.int(-4, 4))
    see.attempt(d.__getitem__, slice(0, 2))


def iterate(r, see):
    n = r.int(1, 7)
    data = list(range(n))
    batch = r.int(1, n + 2)
    options = dict(repeat=r.chance(0.6), shuffle=r.one(None, True, False))
    if r.chance(0.2):
        options['order_sampler'] = lambda order, position: numpy.roll(order, 1)
    kind = r.one('SerialIterator', 'SerialIterator', 'MultithreadIterator')
    it = getattr(iterators, kind)(data, batch, **options)
    for k in range(r.int(1, 8)):
        see.attempt(it.next)
        see(it.epoch, it.is_new_epoch, it.epoch_detail, it.previous_epoch_detail, it.current_position)
        if r.chance(0.15):
            see.attempt(it.reset)
        if r.chance(0.2):
            target = {}
            it.serialize(serializers.DictionarySerializer(target))
            see(target)
            again = getattr(iterators, kind)(data, batch, **options)
            again.serialize(serializers.NpzDeserializer(
                {k: numpy.asarray(v) for k, v in target.items() if v is not None}, strict=False))
            it.finalize()
            it = again
    it.finalize()


def samplers(r, see):
    sampler = iterators.ShuffleOrderSampler(numpy.random.RandomState(r.int(0, 5)))
    order = sampler(numpy.arange(r.int(0, 6)), r.int(0, 3))
    see(order, sampler(order, 1))


def convert(r, see):
    n = r.int(0, 4)
    shape = r.shape(0, 2)

    def one():
        return r.array(shape if r.chance(0.8) else r.shape(len(shape), len(shape)), r.one('f', 'f', 'i'))
    kind = r.one('array', 'tuple', 'dict', 'number', 'list')
    batch = [{'array': one, 'tuple': lambda: (one(), r.int(0, 3)), 'dict': lambda: {'a': one(), 'b': r.number()},
              'number': lambda: r.one(1, 2.5, True), 'list': lambda: [1, 2]}[kind]() for _ in range(n)]
    padding = r.one(None, 0, -1, (0, -1), {'a': 1, 'b': 0})
    device = r.one(None, -1)
    see.attempt(chainer.dataset.concat_examples, batch, device, padding)
    see.attempt(chainer.dataset.to_device, device, one())


def npz(r, see):
    f = io.BytesIO()
    link = chainer.Chain()
    with link.init_scope():
        link.a = chainer.Parameter(0., r.one((2,), (), None))
        link.b = chainer.links.Linear(r.one(None, 2), 2)
    link.add_persistent('p', r.one(1, 2.5, numpy.array([1, 2]), None, numpy.float32(3)))
    serializers.save_npz(f, link, r.chance(0.5))
    f.seek(0)
    with numpy.load(f, allow_pickle=True) as z:
        see({k: z[k] for k in z.files})
    f.seek(0)
    other = chainer.Chain()
    with other.init_scope():
        other.a = chainer.Parameter(1., r.one((2,), (), None, (3,)))
        other.b = chainer.links.Linear(r.one(None, 2), 2)
        if r.chance(0.3):
            other.c = chainer.links.Linear(1, 1)
    other.add_persistent('p', r.one(7, numpy.zeros(2), None))
    see.attempt(serializers.load_npz, f, other, r.one('', '', 'b/'), r.chance(0.6),
                r.one(None, 'c', ['c', 'a'], lambda name: name.startswith('c')))
    see([(k, p.array) for k, p in sorted(other.namedparams())], other.p)


def hdf5(r, see):
    import h5py
    with h5py.File('x', 'w', driver='core', backing_store=False) as f:
        s = serializers.HDF5Serializer(f, r.one(4, 0, 9))
        for key in ('a', 'b/c', '/d'):
            see.attempt(s, key, r.one(1, 2.5, numpy.arange(3), None, numpy.float16(2), 'text', r.array(())))
        see.attempt(s['g'], 'x', r.array((2, 2)))
        see(sorted(f.keys()))
        d = serializers.HDF5Deserializer(f, r.chance(0.5))
        for key in ('a', 'b/c', 'd', 'none'):
            see.attempt(d, key, r.one(None, 1, 1.5, numpy.zeros(3), numpy.zeros(())))
        see.attempt(d['g'], 'x', None)


def dictionary(r, see):
    target = {}
    s = serializers.DictionarySerializer(target, r.one('', 'p', '/q/'))
    see.attempt(s, r.one('a', '/a'), r.one(1, 'x', None, r.array(2)))
    see.attempt(s['c'], 'd', 2)
    see(target)
    d = serializers.NpzDeserializer({k: numpy.asarray(v) for k, v in target.items()}, r.one('', 'p'), r.chance(0.5))
    for key in ('a', '/a', 'c/d', 'z'):
        see.attempt(d, key, r.one(None, 3, 2.5, numpy.zeros(2), 'x'))


def pickles(r, see):
    link = chainer.Sequential(chainer.links.Linear(r.one(2, None), 3), chainer.functions.relu,
                              chainer.links.BatchNormalization(3))
    again = pickle.loads(pickle.dumps(link))
    see([(k, p.array, p.grad) for k, p in sorted(again.namedparams())])
    v = pickle.loads(pickle.dumps(chainer.Variable(r.array(2), name=r.one('n', None))))
    see(v, v.grad, v.name, v.requires_grad)
