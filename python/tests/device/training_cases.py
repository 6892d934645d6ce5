# SPDX-License-Identifier: MIT
"""Links, optimizers, updaters and files on a device, against the host."""
import copy

import numpy as np
import pytest

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import function_hooks, optimizers, serializers, training
from chainer.backends import cuda
from chainer.training import extensions

xp = cuda.cupy


class Net(chainer.Chain):
    def __init__(self):
        super(Net, self).__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(1, 3, 3, nobias=True)
            self.bn = L.BatchNormalization(3)
            self.fc = L.Linear(None, 4)

    def forward(self, x):
        return self.fc(F.dropout(F.max_pooling_2d(F.relu(self.bn(self.conv(x))), 2), 0.25))


def data(n=32):
    rng = np.random.RandomState(0)
    return rng.rand(n, 1, 8, 8).astype('f'), rng.randint(0, 4, n).astype('i')


def losses(optimizer, device, steps=6):
    np.random.seed(0)
    model = L.Classifier(Net())
    if device >= 0:
        model.to_gpu(device)
    optimizer.setup(model)
    x, t = data()
    if device >= 0:
        x, t = cuda.to_gpu((x, t), device)
    found = []
    for _ in range(steps):
        optimizer.update(model, x, t)
        found.append(float(model.loss.array))
    return found, model


ALL = ['AdaDelta', 'AdaGrad', 'Adam', 'CorrectedMomentumSGD', 'MomentumSGD', 'MSVAG', 'NesterovAG', 'RMSprop',
       'RMSpropGraves', 'SGD', 'SMORMS3']


@pytest.mark.parametrize('name', ALL)
def test_optimizers(name):
    expected, _ = losses(getattr(optimizers, name)(), -1)
    got, model = losses(getattr(optimizers, name)(), 0)
    assert got == pytest.approx(expected, abs=2e-4)
    assert model.predictor.fc.W.array.device == cuda.Device(0)


@pytest.mark.parametrize('make', [
    lambda: chainer.optimizer_hooks.GradientClipping(0.1),
    lambda: chainer.optimizer_hooks.GradientHardClipping(-.1, .1),
    lambda: chainer.optimizer_hooks.GradientNoise(0.1, lambda xp, shape, dtype, hook, opt: xp.ones(shape, dtype)),
    lambda: chainer.optimizer_hooks.GradientLARS(), lambda: chainer.optimizer_hooks.Lasso(0.01),
    lambda: chainer.optimizer_hooks.WeightDecay(0.01)])
def test_hooks(make):
    def trained(device):
        optimizer = optimizers.SGD(0.1)
        setup = optimizer.setup

        def with_hook(model):
            setup(model)
            optimizer.add_hook(make())
        optimizer.setup = with_hook
        return losses(optimizer, device)[0]
    assert trained(0) == pytest.approx(trained(-1), abs=2e-4)


def test_links_move():
    model = Net()
    assert model.xp is np and model.to_gpu() is model and model.xp is xp
    assert isinstance(model.conv.W.array, cuda.ndarray) and isinstance(model.bn.avg_mean, cuda.ndarray)
    assert model.fc.W.array is None
    y = model(cuda.to_gpu(data()[0]))
    assert isinstance(model.fc.W.array, cuda.ndarray) and isinstance(y.array, cuda.ndarray)
    with model.init_scope():
        model.extra = chainer.Parameter(0, (2,))
    assert isinstance(model.extra.array, cuda.ndarray)
    shared, copied = model.copy(), model.copy('copy')
    assert shared.conv.W.array is model.conv.W.array and copied.conv.W.array is not model.conv.W.array
    host = Net().to_gpu().to_cpu()
    host.copyparams(model) if host.fc.W.array is not None else None
    model.to_cpu()
    assert isinstance(model.fc.W.array, np.ndarray) and isinstance(model.bn.avg_var, np.ndarray)
    lstm = L.LSTM(2, 3)
    lstm(np.ones((1, 2), 'f'))
    lstm.to_gpu()
    assert isinstance(lstm.h.array, cuda.ndarray) and isinstance(lstm(xp.ones((1, 2), 'f')).array, cuda.ndarray)


@pytest.mark.parametrize('save, load', [(serializers.save_npz, serializers.load_npz),
                                        (serializers.save_hdf5, serializers.load_hdf5)])
def test_files(save, load, tmp_path):
    if 'hdf5' in save.__name__:
        pytest.importorskip('h5py')
    _, trained = losses(optimizers.Adam(), 0)
    path = str(tmp_path / 'model')
    save(path, trained)
    for device in (-1, 0):
        model = L.Classifier(Net())
        if device >= 0:
            model.to_gpu(device)
        load(path, model)
        assert isinstance(model.predictor.fc.W.array, cuda.ndarray if device >= 0 else np.ndarray)
        for (_, p), (_, q) in zip(sorted(model.namedparams()), sorted(trained.namedparams())):
            assert (cuda.to_cpu(p.array) == cuda.to_cpu(q.array)).all()
        assert (cuda.to_cpu(model.predictor.bn.avg_mean) == trained.predictor.bn.avg_mean.get()).all()


def trainer_of(device, out, epochs=2, updater=None):
    np.random.seed(0)
    model = L.Classifier(Net())
    optimizer = optimizers.Adam().setup(model)
    dataset = chainer.datasets.TupleDataset(*data(64))
    it = chainer.iterators.SerialIterator(dataset, 16)
    updater = training.updaters.StandardUpdater(it, optimizer, device=device)
    trainer = training.Trainer(updater, (epochs, 'epoch'), out=str(out))
    test = chainer.iterators.SerialIterator(dataset, 16, False, False)
    trainer.extend(extensions.Evaluator(test, model, device=device))
    trainer.extend(extensions.LogReport())
    trainer.extend(extensions.snapshot(filename='snapshot'), trigger=(1, 'epoch'))
    trainer.extend(extensions.ParameterStatistics(model))
    trainer.extend(extensions.FailOnNonNumber())
    return trainer


def test_a_trainer_and_its_snapshot(tmp_path):
    logs = []
    for device in (-1, 0):
        trainer = trainer_of(device, tmp_path / str(device))
        trainer.run()
        logs.append(trainer.get_extension('LogReport').log)
    keys = [k for k in logs[0][0] if k != 'elapsed_time']
    for host, there in zip(*logs):
        assert [there[k] for k in keys] == pytest.approx([host[k] for k in keys], abs=2e-4)
    resumed = trainer_of(0, tmp_path / 'resumed', 3)
    serializers.load_npz(str(tmp_path / '0' / 'snapshot'), resumed)
    resumed.run()
    whole = trainer_of(0, tmp_path / 'whole', 3)
    whole.run()
    log, other = [t.get_extension('LogReport').log[-1] for t in (resumed, whole)]
    assert log['epoch'] == other['epoch'] == 3


@pytest.mark.skipif(xp.cuda.runtime.getDeviceCount() < 2, reason='there is one device')
def test_functions_and_links_create_arrays_on_the_device_of_their_inputs():
    class Add(chainer.FunctionNode):
        def forward_gpu(self, inputs):
            return inputs[0] + xp.ones(2),

        def backward(self, indexes, gys):
            return gys[0] + xp.ones(2),

    x = chainer.Variable(cuda.to_gpu(np.zeros(2), 1))
    y, = Add().apply((x,))
    F.sum(y).backward()
    assert x.grad.device.id == y.array.device.id == 1 and cuda.Device().id == 0
    for link in (L.LSTM(2, 3), L.StatefulMGU(2, 3), L.StatefulPeepholeLSTM(2, 3), L.StatefulZoneoutLSTM(2, 3)):
        link.to_gpu(1)
        assert link(cuda.to_gpu(np.ones((1, 2), 'f'), 1)).array.device.id == 1


@pytest.mark.skipif(xp.cuda.runtime.getDeviceCount() < 2, reason='there is one device')
def test_code_of_users_runs_on_the_device_of_its_arrays():
    class Twice(chainer.Function):
        def forward_gpu(self, inputs):
            return inputs[0] * xp.full(2, 2., 'f'),

        def backward_gpu(self, inputs, gys):
            found.append(cuda.Device().id)
            return gys[0] * xp.full(2, 2., 'f'),

    class Rule(chainer.UpdateRule):
        def init_state(self, param):
            self.state['m'] = param.array * 0 + xp.ones(param.shape, 'f')

        def update_core_gpu(self, param):
            param.array += self.state['m']

    found = []
    x = chainer.Variable(cuda.to_gpu(np.ones(2, 'f'), 1))
    y = Twice()(x)
    gx, = y.creator_node.backward((0,), (chainer.Variable(x.array),))
    assert gx.array.tolist() == [2, 2] and found == [1] and cuda.Device().id == 0
    p = chainer.Parameter(cuda.to_gpu(np.ones(2, 'f'), 1))
    p.grad = p.array * 0
    Rule().update(p)
    assert p.array.tolist() == [2, 2]


@pytest.mark.skipif(xp.cuda.runtime.getDeviceCount() < 2, reason='there is one device')
def test_parallel_updater():
    x, t = data()
    dataset = chainer.datasets.TupleDataset(x, t)
    found = []
    for devices in ({'main': -1, 'second': -1}, {'main': 0, 'second': 1}):
        np.random.seed(0)
        model = L.Classifier(chainer.Sequential(L.Linear(64, 8), F.relu, L.Linear(8, 4)))
        optimizer = optimizers.SGD(0.1).setup(model)
        it = chainer.iterators.SerialIterator(dataset, 16, shuffle=False)
        updater = training.updaters.ParallelUpdater(it, optimizer, devices=devices)
        for _ in range(3):
            updater.update()
        found.append(cuda.to_cpu(model.predictor[0].W.array))
    np.testing.assert_allclose(found[1], found[0], atol=1e-5)


class Words(chainer.Chain):
    """The loss of words by one of the links for it."""

    def __init__(self, make):
        super(Words, self).__init__()
        with self.init_scope():
            self.embed, self.loss = L.EmbedID(20, 6), make()
        for p in self.params():
            p.array[...] = np.random.uniform(-.5, .5, p.shape)

    def forward(self, move, rng):
        x, t = [move(rng.randint(0, 20, 7).astype('i')) for _ in range(2)]
        return self.loss(self.embed(x), t)


class Sequences(chainer.Chain):
    def __init__(self, rnn):
        super(Sequences, self).__init__()
        with self.init_scope():
            self.embed, self.rnn, self.crf = L.EmbedID(20, 8), rnn(1, 8, 4, 0.0), L.CRF1d(4)

    def forward(self, move, rng):
        words = [rng.randint(0, 20, n).astype('i') for n in (5, 3, 2)]
        x = move(np.concatenate(words))
        parts = cuda.get_array_module(x).split(x, np.cumsum([len(w) for w in words[:-1]]))
        states = [None] * (2 if isinstance(self.rnn, L.NStepLSTM) else 1)
        ys = self.rnn(*(states + [[self.embed(p) for p in parts]]))[-1]
        return self.crf(F.transpose_sequence(ys), F.transpose_sequence([move(w % 4) for w in words]))


class Pictures(chainer.Chain):
    def __init__(self):
        super(Pictures, self).__init__()
        with self.init_scope():
            self.conv, self.deconv = L.Convolution2D(2, 4, 3, pad=1), L.Deconvolution2D(4, 2, 4, 2, 1)
            self.deform, self.theta = L.DeformableConvolution2D(2, 3, 3, pad=1), L.Linear(None, 6)
            self.norm, self.prelu = L.GroupNormalization(2), L.PReLU()

    def forward(self, move, rng):
        x = move(rng.rand(2, 2, 8, 8).astype('f'))
        grid = F.spatial_transformer_grid(F.reshape(self.theta(x), (2, 2, 3)), (8, 8))
        y = self.prelu(self.norm(self.conv(F.spatial_transformer_sampler(x, grid))))
        y = self.deconv(F.max_pooling_2d(F.local_response_normalization(y), 2))
        regions = F.roi_pooling_2d(y, move(np.array([[0, 0, 0, 4, 4], [1, 1, 1, 6, 6]], 'f')), 3, 3, 1.)
        return F.sum(F.square(y)) + F.sum(regions) + F.sum(F.square(self.deform(x)))


class Codes(chainer.Chain):
    def __init__(self):
        super(Codes, self).__init__()
        with self.init_scope():
            self.mean, self.ln_var, self.decode = L.Linear(6, 3), L.Linear(6, 3), L.Linear(3, 6)

    def forward(self, move, rng):
        x = move(rng.rand(5, 6).astype('f'))
        mean, ln_var = self.mean(x), self.ln_var(x)
        z = F.dropout(F.zoneout(F.gaussian(mean, ln_var), mean), 0.25)
        return F.gaussian_kl_divergence(mean, ln_var) + F.bernoulli_nll(x, self.decode(F.rrelu(z)))


TREE = L.BinaryHierarchicalSoftmax.create_huffman_tree({i: i + 1 for i in range(20)})


@pytest.mark.parametrize('make', [
    lambda: Words(lambda: L.BinaryHierarchicalSoftmax(6, TREE)), lambda: Words(lambda: L.BlackOut(6, range(1, 21), 4)),
    lambda: Words(lambda: L.NegativeSampling(6, range(1, 21), 4)), lambda: Sequences(L.NStepLSTM),
    lambda: Sequences(L.NStepGRU), Pictures, Codes])
def test_links_have_the_losses_of_the_host(make):
    found = []
    for device in (-1, 0):
        np.random.seed(0)
        rng, model = np.random.RandomState(1), make()
        if device >= 0:
            model.to_gpu(device)
        optimizer = optimizers.SGD(0.01).setup(model)
        losses = []
        for _ in range(3):
            loss = model(lambda a: chainer.dataset.to_device(device, a), rng)
            model.cleargrads()
            loss.backward()
            optimizer.update()
            losses.append(float(loss.array))
        found.append(losses)
    assert found[1] == pytest.approx(found[0], rel=1e-4)


def test_batches():
    batch = chainer.dataset.concat_examples([(np.ones(2), 1), (np.zeros(2), 2)], 0)
    assert [type(b) for b in batch] == [cuda.ndarray] * 2
    padded = chainer.dataset.concat_examples([xp.ones(2), xp.ones(3)], padding=0)
    assert padded.tolist() == [[1, 1, 0], [1, 1, 1]]
    assert isinstance(chainer.dataset.to_device(-1, padded), np.ndarray)


def test_initializers_draw_the_numbers_of_the_host():
    for make in (chainer.initializers.LeCunNormal, chainer.initializers.GlorotUniform, chainer.initializers.Orthogonal,
                 chainer.initializers.One, chainer.initializers.Identity):
        arrays = []
        for module in (np, xp):
            np.random.seed(0)
            arrays.append(cuda.to_cpu(chainer.initializers.generate_array(make(), (3, 3), module)))
        np.testing.assert_allclose(*arrays, rtol=1e-6)


def test_hooks_of_functions_and_statistics():
    with chainer.function_hooks.TimerHook() as hook:
        F.sum(F.exp(chainer.Variable(xp.ones(1000)))).backward()
    assert hook.total_time() > 0 and len(hook.call_history) >= 3
    statistics = extensions.variable_statistics_plot.Statistician(True, True, (50,))
    assert float(statistics(xp.asarray([1., 2., 6.]), 0)['mean']) == 3


@pytest.mark.parametrize('options', [{}, {'use_gamma': False}, {'use_beta': False}])
def test_batch_renormalization(options):
    found = []
    for move in (lambda a: a, cuda.to_gpu):
        link = L.BatchRenormalization(4, **options)
        link.avg_mean[...] = 0.5
        if move is cuda.to_gpu:
            link.to_gpu()
        x = move(np.arange(24, dtype='f').reshape(6, 4))
        y = link(x)
        with chainer.using_config('train', False):
            found.append([cuda.to_cpu(v.array) for v in (y, link(x))])
    np.testing.assert_allclose(found[1], found[0], rtol=1e-5)


def test_batch_normalization_of_a_size_that_the_first_call_determines(tmp_path):
    link = L.BatchNormalization(axis=(0,))
    serializers.save_npz(str(tmp_path / 'before'), link)
    link.to_gpu()
    assert link(xp.ones((4, 3), 'f')).shape == (4, 3) and isinstance(link.avg_mean, cuda.ndarray)
    serializers.save_npz(str(tmp_path / 'after'), link)
    other = L.BatchNormalization(axis=(0,))
    serializers.load_npz(str(tmp_path / 'before'), other)
    assert other.avg_mean is None
    serializers.load_npz(str(tmp_path / 'after'), other)
    assert (other.avg_mean == link.avg_mean.get()).all()
