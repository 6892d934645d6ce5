# SPDX-License-Identifier: MIT
"""Computes the reference data of the C++ tests with the release: ../data/*.npz. Run it with the release's Python.

usage: make_reference.py OUT_FOLDER [--mnist FOLDER_OF_IDX_FILES LOSSES.npz]
"""
import gzip
import sys

from release import *


def losses(optimizer, units, data, iterations=200, seed=0):
    numpy.random.seed(seed)
    iterator = chainer.iterators.SerialIterator(data, 100)
    model = L.Classifier(MLP(units, 10))
    optimizer.setup(model)
    out = []
    for _ in range(iterations):
        x, t = chainer.dataset.concat_examples(iterator.next())
        loss = model(x, t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        out.append(float(loss.array))
    return numpy.array(out)


def runs(data):
    return {
        'sgd': losses(optimizers.SGD(), 1000, data),
        'momentum_sgd': losses(optimizers.MomentumSGD(), 1000, data),
        'adam_100': losses(optimizers.Adam(), 100, data),
        'adam_1000': losses(optimizers.Adam(), 1000, data, 100),
    }


def optimizer_steps():
    """Ten steps of every optimizer, and of SGD with every hook, on one parameter."""
    out = {}
    r = numpy.random.RandomState(3)
    grads = r.randn(10, 4, 3).astype('f')
    start = r.randn(4, 3).astype('f')
    out['start'], out['grads'] = start, grads
    cases = {
        'AdaDelta': optimizers.AdaDelta(), 'AdaGrad': optimizers.AdaGrad(), 'Adam': optimizers.Adam(),
        'AMSGrad': optimizers.Adam(amsgrad=True), 'AdamW': optimizers.Adam(eta=.5, weight_decay_rate=.1),
        'CorrectedMomentumSGD': optimizers.CorrectedMomentumSGD(), 'MomentumSGD': optimizers.MomentumSGD(),
        'NesterovAG': optimizers.NesterovAG(), 'RMSprop': optimizers.RMSprop(),
        'RMSpropInside': optimizers.RMSprop(eps_inside_sqrt=True), 'RMSpropGraves': optimizers.RMSpropGraves(),
        'SGD': optimizers.SGD(), 'SMORMS3': optimizers.SMORMS3(), 'MSVAG': optimizers.MSVAG(),
    }
    hooks = chainer.optimizer_hooks
    for name, hook in {'WeightDecay': hooks.WeightDecay(.1), 'Lasso': hooks.Lasso(.1),
                       'GradientClipping': hooks.GradientClipping(1.), 'GradientHardClipping': hooks.GradientHardClipping(-.5, .3),
                       'GradientLARS': hooks.GradientLARS(.01, .1), 'GradientNoise': hooks.GradientNoise(.3)}.items():
        cases[name] = (optimizers.SGD(.1), hook)
    for name, case in cases.items():
        numpy.random.seed(5)
        opt, hook = case if isinstance(case, tuple) else (case, None)
        link = chainer.Link()
        with link.init_scope():
            link.w = chainer.Parameter(start.copy())
        opt.setup(link)
        if hook:
            opt.add_hook(hook)
        for g in grads:
            link.w.grad = g.copy()
            opt.update()
            out.setdefault(name, []).append(link.w.array.copy())
        out[name] = numpy.array(out[name])
    return out


def random_streams():
    """The streams of NumPy's legacy generator."""
    r = numpy.random.RandomState(42)
    out = {'rand': r.rand(5), 'randn': r.randn(5), 'normal': r.normal(1, 2, 4), 'uniform': r.uniform(-1, 3, 4),
           'randint': r.randint(0, 1000, 8), 'randint_wide': r.randint(0, 10**12, 4), 'randint8': r.randint(0, 200, 9, dtype='u1'),
           'randint32': r.randint(-50, 50, 5, dtype='i4'), 'permutation': r.permutation(11), 'exponential': r.exponential(2., 4),
           'gamma': r.gamma(2.5, 2., 4), 'gamma_small': r.gamma(.3, 1., 4), 'beta': r.beta(2., 3., 4), 'beta_small': r.beta(.4, .6, 4),
           'gumbel': r.gumbel(1., 2., 4), 'laplace': r.laplace(1., 2., 4), 'lognormal': r.lognormal(.5, .7, 4),
           'dirichlet': r.dirichlet([.5, 1.5, 2.], 3), 'binomial': r.binomial(10, .3, 6), 'binomial_large': r.binomial(1000, .4, 6),
           'binomial_high': r.binomial(200, .7, 6), 'multinomial': r.multinomial(20, [.2, .3, .5], 3), 'choice': r.choice(10, 6),
           'choice_once': r.choice(10, 6, replace=False), 'choice_p': r.choice(4, 6, p=[.1, .2, .3, .4]),
           'choice_p_once': r.choice(6, 4, replace=False, p=[.1, .2, .3, .2, .1, .1]), 'last': r.rand(2)}
    return out


def initial_values():
    out = {}
    I = chainer.initializers
    for name in ('Normal', 'LeCunNormal', 'GlorotNormal', 'HeNormal', 'Orthogonal', 'Uniform', 'LeCunUniform', 'GlorotUniform', 'HeUniform'):
        numpy.random.seed(9)
        a = numpy.empty((4, 6), 'f')
        getattr(I, name)()(a)
        out[name] = a
    numpy.random.seed(9)
    a = numpy.empty((4, 3, 2), 'f')
    I.HeNormal(fan_option='fan_out')(a)
    out['HeNormal_fan_out'] = a
    return out


def snapshot(folder):
    """A snapshot of a trainer after two epochs, and the continuation of the run."""
    numpy.random.seed(1)
    data = teacher_data(200)
    model = L.Classifier(MLP(8, 10))
    opt = optimizers.MomentumSGD().setup(model)
    iterator = chainer.iterators.SerialIterator(data, 50)
    updater = training.StandardUpdater(iterator, opt)
    trainer = training.Trainer(updater, (2, 'epoch'), out=folder)
    trainer.extend(extensions.LogReport())
    trainer.extend(extensions.snapshot(filename='release_snapshot.npz'))
    trainer.run()
    serializers.save_npz(folder + '/release_model.npz', model)
    serializers.save_npz(folder + '/release_optimizer.npz', opt)
    uninitialized = MLP(8, 10)
    serializers.save_npz(folder + '/release_uninitialized.npz', uninitialized)
    import os
    os.remove(folder + '/log')


def nested():
    """A Sequential of repeated Sequentials: the keys of its file, an input and the result."""
    numpy.random.seed(3)
    model = chainer.Sequential(L.Linear(3, 4), chainer.Sequential(L.Linear(4, 4), F.tanh).repeat(3), L.Linear(4, 2))
    s = serializers.DictionarySerializer()
    s.save(model)
    x = numpy.random.randn(5, 3).astype('f')
    return dict(s.target, x=x, y=model(x).array)


def idx(path):
    b = gzip.open(path).read()
    n = b[3]
    shape = [int.from_bytes(b[4 + 4 * i:8 + 4 * i], 'big') for i in range(n)]
    return numpy.frombuffer(b, 'u1', offset=4 + 4 * n).reshape(shape)


if __name__ == '__main__':
    out = sys.argv[1]
    if len(sys.argv) > 2:  # the same runs on real data, for a check that is not committed
        x = idx(sys.argv[3] + '/train-images-idx3-ubyte.gz').reshape(-1, 784).astype('f')
        x *= 1. / 255.
        t = idx(sys.argv[3] + '/train-labels-idx1-ubyte.gz').astype('i')
        numpy.savez_compressed(sys.argv[4], **runs(chainer.datasets.TupleDataset(x, t)))
    else:
        numpy.savez_compressed(out + '/losses.npz', **runs(teacher_data()))
        numpy.savez_compressed(out + '/optimizers.npz', **optimizer_steps())
        numpy.savez_compressed(out + '/random.npz', **random_streams())
        numpy.savez_compressed(out + '/initializers.npz', **initial_values())
        numpy.savez_compressed(out + '/release_nested.npz', **nested())
        snapshot(out)
