# SPDX-License-Identifier: MIT
"""The trainer, extensions, iterators and datasets."""
import io
import json
import os
import pickle

import numpy as np
import pytest

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import training
from chainer.training import extensions


def make_trainer(out, stop=(3, 'epoch'), seed=0):
    np.random.seed(seed)
    x = np.random.RandomState(1).rand(50, 4).astype('f')
    t = (x[:, 0] > x[:, 1]).astype('i')
    data = chainer.datasets.TupleDataset(x, t)
    model = L.Classifier(chainer.Sequential(L.Linear(4, 8), F.relu, L.Linear(8, 2)))
    optimizer = chainer.optimizers.Adam(0.05).setup(model)
    updater = training.updaters.StandardUpdater(chainer.iterators.SerialIterator(data, 10), optimizer)
    trainer = training.Trainer(updater, stop, out=str(out))
    trainer.extend(extensions.Evaluator(chainer.iterators.SerialIterator(data, 25, False, False), model))
    trainer.extend(extensions.LogReport())
    return trainer


def test_trainer(tmp_path, capsys):
    trainer = make_trainer(tmp_path)
    stream = io.StringIO()
    trainer.extend(extensions.PrintReport(['epoch', 'main/loss', 'validation/main/accuracy'], out=stream))
    trainer.extend(extensions.ProgressBar(update_interval=1, out=io.StringIO()))
    trainer.extend(extensions.ExponentialShift('alpha', 0.5), trigger=(1, 'epoch'))
    trainer.extend(extensions.observe_value('rate', lambda t: t.updater.get_optimizer('main').alpha))
    trainer.extend(extensions.ParameterStatistics(trainer.updater.get_optimizer('main').target))
    trainer.extend(extensions.FailOnNonNumber())
    trainer.extend(extensions.dump_graph('main/loss'))
    trainer.extend(extensions.snapshot())
    mask = os.umask(0o027)
    trainer.run()
    os.umask(mask)
    assert {os.stat(str(tmp_path / name)).st_mode & 0o777 for name in os.listdir(str(tmp_path))} == {0o640}
    with open(os.path.join(str(tmp_path), 'log')) as f:
        log = json.load(f)
    assert [e['iteration'] for e in log] == [5, 10, 15] and [e['epoch'] for e in log] == [1, 2, 3]
    assert log[-1]['main/loss'] < log[0]['main/loss']
    assert log[-1]['rate'] == pytest.approx(0.05 * 0.5 ** 2)
    assert any(k.endswith('/W/data/percentile/6') for k in log[-1])
    assert stream.getvalue().startswith('epoch       main/loss')
    assert len(stream.getvalue().splitlines()) == 4
    for name in ('cg.dot', 'snapshot_iter_5', 'snapshot_iter_15'):
        assert os.path.exists(os.path.join(str(tmp_path), name)), name
    with pytest.raises(RuntimeError):
        trainer.run()


def test_results_in_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    trainer = make_trainer('', (1, 'epoch'))
    for extension in (extensions.snapshot(), extensions.dump_graph('main/loss'),
                      extensions.snapshot_object(trainer.updater.get_optimizer('main').target, 'model')):
        trainer.extend(extension)
    trainer.run()
    assert sorted(os.listdir(str(tmp_path))) == ['cg.dot', 'log', 'model', 'snapshot_iter_5']


def test_hdf5_files_without_groups_of_parts_that_save_nothing(tmp_path):
    h5py = pytest.importorskip('h5py')
    path = str(tmp_path / 'snapshot')

    def make():
        updater = make_trainer(tmp_path).updater
        trainer = training.Trainer(updater, lambda trainer: trainer.updater.iteration >= 2, str(tmp_path))
        trainer.extend(lambda trainer: None, name='plain', trigger=lambda trainer: True)
        return trainer
    trainer = make()
    trainer.run()
    chainer.serializers.save_hdf5(path, trainer)
    with h5py.File(path, 'r') as f:
        assert 'stop_trigger' not in f and 'plain' not in f['extensions'] and 'plain' not in f['extension_triggers']
    resumed = make()
    chainer.serializers.load_hdf5(path, resumed)
    assert resumed.updater.iteration == 2


def test_a_resumed_training_ends_where_an_unbroken_one_does(tmp_path):
    whole = make_trainer(tmp_path / 'whole', (4, 'epoch'))
    whole.run()
    first = make_trainer(tmp_path / 'first', (2, 'epoch'))
    first.run()
    chainer.serializers.save_npz(str(tmp_path / 'state'), first)
    second = make_trainer(tmp_path / 'second', (4, 'epoch'), seed=7)
    chainer.serializers.load_npz(str(tmp_path / 'state'), second)
    assert second.updater.iteration == 10
    np.random.set_state(make_state(tmp_path))
    second.run()
    assert [e['epoch'] for e in second.get_extension('LogReport').log] == [1, 2, 3, 4]
    a, b = [t.updater.get_optimizer('main').target.predictor[0].W.array for t in (whole, second)]
    np.testing.assert_array_equal(a, b)


def make_state(folder):
    """The random numbers after two epochs of the same training."""
    make_trainer(folder / 'again', (2, 'epoch')).run()
    return np.random.get_state()


def test_an_error_in_the_loop_is_shown_and_raised(tmp_path, capsys):
    trainer = make_trainer(tmp_path)
    ended = []

    def fail(trainer):
        raise ValueError('no')
    fail.finalize = lambda: ended.append(1)
    trainer.extend(fail)
    with pytest.raises(ValueError):
        trainer.run()
    assert 'Exception in main training loop: no' in capsys.readouterr().err and ended == [1]


def test_parallel_updater_gives_the_gradient_of_the_whole_batch(tmp_path):
    np.random.seed(0)
    model = L.Linear(3, 1)
    start = model.W.array.copy()
    data = np.random.rand(8, 3).astype('f')
    optimizer = chainer.optimizers.SGD(0.1).setup(model)
    updater = training.updaters.ParallelUpdater(
        chainer.iterators.SerialIterator(data, 8), optimizer, devices={'main': -1, 'second': -1},
        models={'main': model, 'second': model.copy('copy')}, loss_func=lambda x: F.sum(model(x)))
    updater.update()
    np.testing.assert_allclose(model.W.array, start - 0.1 * data.sum(axis=0), rtol=1e-5)


def test_copies_of_a_parallel_updater():
    def make(devices):
        it = chainer.iterators.SerialIterator(np.zeros((4, 3), 'f'), 4)
        return training.updaters.ParallelUpdater(it, chainer.optimizers.SGD().setup(L.Linear(3, 1)), devices=devices)
    with pytest.raises(KeyError, match='main'):
        make({'first': -1})
    assert list(make({'main': -1, 'z': -1, 'a': -1})._models) == ['main', 'z', 'a']


@pytest.mark.parametrize('make', [
    lambda d, n, **k: chainer.iterators.MultithreadIterator(d, n, n_threads=2, **k),
    lambda d, n, **k: chainer.iterators.MultiprocessIterator(d, n, n_processes=2, n_prefetch=2, **k)])
def test_prefetched_batches_are_those_of_the_serial_iterator(make):
    data = list(range(7))
    for repeat in (True, False):
        serial = chainer.iterators.SerialIterator(data, 3, repeat=repeat, shuffle=False)
        ahead = make(data, 3, repeat=repeat, shuffle=False)
        for _ in range(3 if not repeat else 6):
            assert next(ahead) == next(serial)
            for name in ('epoch', 'is_new_epoch', 'epoch_detail', 'previous_epoch_detail', 'current_position'):
                assert getattr(ahead, name) == getattr(serial, name), name
        if not repeat:
            with pytest.raises(StopIteration):
                next(ahead)
            ahead.reset()
            assert next(ahead) == [0, 1, 2]
        ahead.finalize()
        if isinstance(ahead, chainer.iterators.MultithreadIterator):  # threads start again
            ahead.reset()
            assert next(ahead) == [0, 1, 2]
            ahead.finalize()
            continue
        with pytest.raises(NotImplementedError):
            ahead.reset()


class Failing(object):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        raise KeyError(i)


def test_an_error_of_a_worker_is_raised():
    for make in (chainer.iterators.MultithreadIterator, chainer.iterators.MultiprocessIterator):
        with make(Failing(), 2) as iterator, pytest.raises(KeyError):
            next(iterator)


class Pictures(object):
    """Examples that are passed in shared memory; later ones are larger."""

    def __len__(self):
        return 12

    def __getitem__(self, i):
        if i == 10 and os.environ.get('PICTURES_FAIL'):
            raise KeyError(i)
        return np.full((3, 40, 40 + 200 * (i > 7)), i, 'f'), np.asfortranarray(np.full((9, 2), i)), 'text', i


def same_pictures(batch, indexes):
    assert [b[3] for b in batch] == indexes
    for (picture, table, text, i), expected in zip(batch, [Pictures()[i] for i in indexes]):
        np.testing.assert_array_equal(picture, expected[0])
        np.testing.assert_array_equal(table, expected[1])
        picture[0] = -1  # belongs to the caller
        assert table.flags.f_contiguous and text == 'text'


@pytest.mark.parametrize('shared_mem', [None, 1, 20000, 10 ** 6])
def test_pictures_of_processes(shared_mem):
    files = len(os.listdir('/proc/self/fd'))
    make = chainer.iterators.MultiprocessIterator
    with make(Pictures(), 4, shuffle=False, n_processes=2, n_prefetch=2, shared_mem=shared_mem) as it:
        kept = []
        for k in range(9):
            kept.append(it.next())
            same_pictures(kept[-1], [(4 * k + j) % 12 for j in range(4)])
        assert all([(b[0][1:] == b[3]).all() for batch in kept for b in batch])  # later batches are elsewhere
        it.reset()  # while batches are prefetched
        for k in range(4):
            same_pictures(it.next(), [(4 * k + j) % 12 for j in range(4)])
        copy = pickle.loads(pickle.dumps(it))
        same_pictures(copy.next(), [4, 5, 6, 7])
        copy.finalize()
        same_pictures(it.next(), [4, 5, 6, 7])
    del it, copy, kept
    assert len(os.listdir('/proc/self/fd')) <= files + 1


def test_pictures_after_an_error(monkeypatch):
    monkeypatch.setenv('PICTURES_FAIL', '1')
    with chainer.iterators.MultiprocessIterator(Pictures(), 4, shuffle=False, n_processes=2) as it:
        for _ in range(2):
            it.next()
        with pytest.raises(KeyError):
            it.next()
        it.reset()
        for k in range(2):
            same_pictures(it.next(), [4 * k + j for j in range(4)])


def test_batches_of_an_ndarray_in_order_are_its_slices():
    data = np.arange(12, dtype='f').reshape(6, 2)
    both = [np.ndarray] * 2
    for size, repeat, kinds in ((3, True, both), (4, False, both), (4, True, [np.ndarray, list])):
        it = chainer.iterators.SerialIterator(data, size, repeat, shuffle=False)
        batches = [next(it), next(it)]
        assert [type(batch) for batch in batches] == kinds
        assert np.concatenate(batches).tolist() == np.tile(data, (2, 1))[:2 * size if repeat else 6].tolist()
    assert type(next(chainer.iterators.SerialIterator(data, 3))) is list
    assert next(chainer.iterators.SerialIterator(range(5), 3, shuffle=False)) == [0, 1, 2]


def test_cross_validation():
    pairs = chainer.datasets.get_cross_validation_datasets(list(range(7)), 3)
    assert [list(test) for _, test in pairs] == [[4, 5, 6], [2, 3], [0, 1]]
    assert [list(train) for train, _ in pairs] == [[0, 1, 2, 3], [4, 5, 6, 0, 1], [2, 3, 4, 5, 6]]


def test_pickled_objects(tmp_path):
    path = str(tmp_path / 'objects')
    with chainer.datasets.open_pickle_dataset_writer(path) as writer:
        writer.write((1, 'a'))
        writer.write(np.arange(3))
    with chainer.datasets.open_pickle_dataset(path) as dataset:
        assert len(dataset) == 2 and dataset[0] == (1, 'a') and dataset[1].tolist() == [0, 1, 2]


def test_text(tmp_path):
    path = tmp_path / 'lines'
    path.write_text('one\ntwo\n\nfour')
    dataset = chainer.datasets.TextDataset(str(path), filter_func=lambda line: line != 'two\n')
    assert list(pickle.loads(pickle.dumps(dataset))) == list(dataset) == ['one\n', '\n', 'four']


def test_each_process_has_its_own_position_in_a_file(tmp_path):
    n, path, lines = 3000, str(tmp_path / 'objects'), tmp_path / 'lines'
    with chainer.datasets.open_pickle_dataset_writer(path) as writer:
        for i in range(n):
            writer.write((i, b'x' * (i % 977)))
    lines.write_text(''.join(['{} {}\n'.format(i, 'y' * (i % 977)) for i in range(n)]))

    class Reader(io.FileIO):
        def after_fork(self):
            self.__init__(self.name)

    def numbers(dataset, number):
        it = chainer.iterators.MultiprocessIterator(dataset, 100, repeat=False, shuffle=False, n_processes=4)
        try:
            return [number(example) for batch in it for example in batch]
        finally:
            it.finalize()

    for dataset in (chainer.datasets.open_pickle_dataset(path), chainer.datasets.PickleDataset(Reader(path))):
        with dataset:
            assert numbers(dataset, lambda example: example[0]) == list(range(n))
    assert numbers(chainer.datasets.TextDataset(str(lines)), lambda line: int(line.split()[0])) == list(range(n))


def test_cifar_in_the_folder_of_datasets(tmp_path):
    import tarfile
    folder = tmp_path / 'cifar'
    folder.mkdir()
    with tarfile.open(str(folder / 'cifar-10-python.tar.gz'), 'w:gz') as archive:
        for name in ['data_batch_%d' % i for i in range(1, 6)] + ['test_batch']:
            content = pickle.dumps({b'data': np.full((2, 3072), 51, np.uint8), b'labels': [3, 4]})
            info = tarfile.TarInfo('cifar-10-batches-py/' + name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    root = chainer.dataset.get_dataset_root()
    chainer.dataset.set_dataset_root(str(tmp_path))
    try:
        train, test = chainer.datasets.get_cifar10()
        assert len(train) == 10 and len(test) == 2
        image, label = train[1]
        assert image.shape == (3, 32, 32) and label == 4 and image[0, 0, 0] == pytest.approx(0.2)
        assert len(chainer.datasets.get_cifar10()[0]) == 10  # from the cache
    finally:
        chainer.dataset.set_dataset_root(root)


def test_names_in_a_sequential_are_those_of_the_release():
    s = chainer.Sequential(L.Linear(4, 8), L.Bias(1, (8,)), F.relu, L.Linear(8, 2))
    assert [getattr(layer, 'name', None) for layer in s] == ['0', '2', None, '1']
    s.insert(1, L.Linear(8, 8, nobias=True))
    assert [getattr(layer, 'name', None) for layer in s] == ['0', '1', '3', None, '2']
    s[1] = F.tanh
    del s[0]
    assert [getattr(layer, 'name', None) for layer in s] == [None, '1', None, '0']
    twice = chainer.Sequential(L.Linear(2, 2), F.relu).repeat(2)
    assert [n for n, _ in twice.namedparams()] == ['/0/0/W', '/0/0/b', '/1/0/W', '/1/0/b']


def test_functions_are_copied_and_pickled():
    import copy
    for f in (F.relu, F.convolution_1d, F.max_pooling_2d):
        assert copy.deepcopy(f) is f and pickle.loads(pickle.dumps(f)) is f


def test_sequences_of_any_lengths():
    np.random.seed(0)
    link = L.NStepLSTM(2, 3, 4, 0)
    xs = [np.random.rand(n, 3).astype('f') for n in (2, 5, 1)]
    hy, cy, ys = link(None, None, xs)
    assert [y.shape for y in ys] == [(2, 4), (5, 4), (1, 4)]
    for i, x in enumerate(xs):
        h, c, (y,) = link(None, None, [x])
        np.testing.assert_allclose(ys[i].array, y.array, rtol=1e-5)
        np.testing.assert_allclose(hy.array[:, i], h.array[:, 0], rtol=1e-5)


def test_an_ndarray_beside_a_variable_takes_its_dtype():
    x = chainer.Variable(np.ones(2, 'f'))
    for y in (x + np.ones(2), np.ones(2) - x, x * np.array(2), x ** np.array([1, 2]), x / np.ones(2, 'e')):
        assert y.dtype == np.float32
    with pytest.raises(chainer.utils.type_check.InvalidType):
        x + chainer.Variable(np.ones(2))


def test_the_softmax_that_a_loss_keeps():
    x, t = chainer.Variable(np.zeros((2, 4), 'f')), np.zeros(2, 'i')
    np.testing.assert_allclose(F.softmax_cross_entropy(x, t).creator.y, 0.25)
    assert F.softmax_cross_entropy(x, t, cache_score=False).creator.y is None
    assert not hasattr(F.softmax_cross_entropy(x, t, enable_double_backprop=True).creator, 'y')


def test_hierarchical_softmax():
    tree = L.BinaryHierarchicalSoftmax.create_huffman_tree({0: 8, 1: 6, 2: 5, 3: 4, 4: 3})
    link = L.BinaryHierarchicalSoftmax(3, tree)
    x = np.random.rand(1, 3).astype('f')
    total = sum([np.exp(-link(x, np.array([word], 'i')).array) for word in range(5)])
    assert total == pytest.approx(1, rel=1e-5)


def test_batches_longer_than_the_data():
    """As in the release: a batch ends with the next epoch's examples, and the position counts on."""
    for kind in (chainer.iterators.SerialIterator, chainer.iterators.MultithreadIterator):
        it = kind([0, 1], 3, shuffle=False)
        lengths = [(len(it.next()), it.epoch, it.epoch_detail) for _ in range(4)]
        assert lengths == [(3, 1, 1.5), (3, 2, 3), (2, 3, 4.5), (2, 4, 6)]
        it.finalize()


def test_order_of_threads_has_the_releases_name():
    it = chainer.iterators.MultithreadIterator([0, 1, 2], 2)
    it.next()
    target = {}
    it.serialize(chainer.serializers.DictionarySerializer(target))
    assert '_order' in target and 'order' not in target
    it.finalize()


def test_padding_of_examples_without_axes():
    assert (chainer.dataset.concat_examples([1, 2.5, True], padding=0) == [1, 2.5, 1]).all()
    a, b = chainer.dataset.concat_examples([(np.ones(2), 3), (np.ones(3), 4)], padding=(0, -1))
    assert a.shape == (2, 3) and a[0, 2] == 0 and (b == [3, 4]).all()


def test_an_interrupted_iterator_ends_with_its_workers(tmp_path):
    (tmp_path / 'script.py').write_text(
        'import signal\nimport time\nimport chainer\n\n\nclass Endless(object):\n'
        '    def __len__(self):\n        return 100\n\n'
        '    def __getitem__(self, i):\n        time.sleep(1000)\n\n\nif __name__ == "__main__":\n'
        '    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in programs behind a shell\'s &\n'
        '    chainer.iterators.MultiprocessIterator._interruption_testing = True\n'
        '    chainer.iterators.MultiprocessIterator(Endless(), 10, n_processes=2).next()\n')
    import signal
    import subprocess
    import sys
    import time
    p = subprocess.Popen([sys.executable, str(tmp_path / 'script.py')], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    pids = [int(pid) for pid in p.stdout.readline().split()]
    assert len(pids) == 2
    time.sleep(0.3)
    p.send_signal(signal.SIGINT)
    assert b'KeyboardInterrupt' in p.communicate(timeout=20)[1]
    for _ in range(100):
        if not any([os.path.exists('/proc/%d' % pid) for pid in pids]):
            break
        time.sleep(0.05)
    assert not any([os.path.exists('/proc/%d' % pid) for pid in pids])
