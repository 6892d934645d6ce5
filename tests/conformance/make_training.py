# SPDX-License-Identifier: MIT
"""Runs links, iterators, triggers and the log of release 5.4.0 and writes training.npz, which the C++ tests read.

usage: make_training.py      (with the Python of ../interop/release.py)
"""
import json
import os
import sys
import tempfile
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'interop'))
sys.modules['mock'] = unittest.mock  # where the release looks for it
from release import *  # noqa: E402
import chainer.testing  # noqa: E402
from chainer import distributions as D  # noqa: E402
from chainer.training import triggers  # noqa: E402
from chainer.utils import WalkerAlias  # noqa: E402


def links(out):
    """Initial parameters under a seed, results and gradients for an output gradient of ones."""
    r = numpy.random.RandomState(2)
    x, cube, ids, labels = r.randn(3, 4).astype('f'), r.randn(3, 2, 4).astype('f'), numpy.array([[0, 2], [4, 2]], 'i'), numpy.array([1, 0, 1], 'i')
    out.update({'link/x': x, 'link/cube': cube, 'link/ids': ids, 'link/labels': labels})
    cases = {
        'Linear': (lambda: L.Linear(4, 5), (x,)), 'Linear_lazy': (lambda: L.Linear(5), (cube,)),
        'Linear_nobias': (lambda: L.Linear(4, 5, nobias=True), (x,)),
        'Linear_axes': (lambda: L.Linear(4, 5), (cube, 2)),
        'EmbedID': (lambda: L.EmbedID(5, 3), (ids,)), 'EmbedID_ignore': (lambda: L.EmbedID(5, 3, ignore_label=2), (ids,)),
        'Bias': (lambda: L.Bias(1, (4,)), (x,)), 'Scale': (lambda: L.Scale(1, (4,), bias_term=True), (x,)),
        'NegativeSampling': (lambda: L.NegativeSampling(4, [5, 1, 3, 2], 3), (x, labels)),
        'NegativeSampling_power': (lambda: L.NegativeSampling(4, [5, 1, 3, 2], 2, power=0.5), (x, labels)),
        'Bilinear': (lambda: L.Bilinear(4, 4, 2), (x, x)), 'Bilinear_nobias': (lambda: L.Bilinear(4, 4, 2, nobias=True), (x, x)),
        'Highway': (lambda: L.Highway(4), (x,)), 'Maxout': (lambda: L.Maxout(4, 3, 2), (x,)),
        'PReLU': (lambda: L.PReLU((4,)), (x,)), 'Swish': (lambda: L.Swish((4,)), (x,)), 'Swish_lazy': (lambda: L.Swish(None), (cube,)),
        'LayerNormalization': (lambda: L.LayerNormalization(), (x,)),
        'GroupNormalization': (lambda: L.GroupNormalization(2), (cube,)),
        'Classifier': (lambda: L.Classifier(L.Linear(4, 3)), (x, labels)),
        'BinaryHierarchicalSoftmax': (lambda: L.BinaryHierarchicalSoftmax(4, ((2, 0), (3, 1))), (x, labels)),
        'BlackOut': (lambda: L.BlackOut(4, [5, 1, 3, 2], 3), (x, labels)),
    }
    # (later inputs come last, so that the earlier ones stay as they are)
    image, line = r.randn(2, 4, 5, 6).astype('f'), r.randn(2, 4, 7).astype('f')
    out.update({'link/image': image, 'link/line': line})
    cases.update({
        'Convolution2D': (lambda: L.Convolution2D(4, 6, 3, stride=2, pad=1), (image,)),
        'Convolution2D_lazy': (lambda: L.Convolution2D(None, 6, (2, 3), nobias=True, dilate=2, groups=2), (image,)),
        'Convolution1D': (lambda: L.Convolution1D(4, 3, 3, pad=1), (line,)),
        'Convolution3D': (lambda: L.Convolution3D(2, 3, 2), (image.reshape(2, 2, 2, 5, 6),)),
        'ConvolutionND': (lambda: L.ConvolutionND(1, 4, 3, 2, stride=2, cover_all=True), (line,)),
        'Deconvolution2D': (lambda: L.Deconvolution2D(4, 6, 3, stride=2, pad=1), (image,)),
        'Deconvolution2D_lazy': (lambda: L.Deconvolution2D(None, 6, (2, 3), nobias=True, groups=2), (image,)),
        'Deconvolution1D': (lambda: L.Deconvolution1D(4, 3, 3, stride=2, outsize=(16,)), (line,)),
        'Deconvolution3D': (lambda: L.Deconvolution3D(2, 3, 2), (image.reshape(2, 2, 2, 5, 6),)),
        'DeconvolutionND': (lambda: L.DeconvolutionND(1, 4, 3, 2, stride=2), (line,)),
        'DepthwiseConvolution2D': (lambda: L.DepthwiseConvolution2D(4, 2, 3, stride=2, pad=1), (image,)),
        'DilatedConvolution2D': (lambda: L.DilatedConvolution2D(4, 3, 3, pad=2, dilate=2), (image,)),
        'LocalConvolution2D': (lambda: L.LocalConvolution2D(4, 3, (5, 6), (2, 3)), (image,)),
        'DeformableConvolution2D': (lambda: L.DeformableConvolution2D(4, 3, 3, pad=1, offset_initialW=0.01, deform_initialW=0.1), (image,)),
        'Inception': (lambda: L.Inception(4, 2, 3, 2, 3, 2, 1), (image,)),
        'InceptionBN': (lambda: L.InceptionBN(4, 2, 3, 2, 3, 2, 'avg', 1), (image,)),
        'InceptionBN_max': (lambda: L.InceptionBN(None, 0, 3, 2, 3, 2, 'max', stride=2), (image,)),
        'MLPConvolution2D': (lambda: L.MLPConvolution2D(4, (5, 3), 3, pad=1), (image,)),
    })
    for name, (make, args) in cases.items():
        numpy.random.seed(4)
        link = make()
        if name.startswith(('NegativeSampling', 'BlackOut')):
            link.W.array[...] = numpy.arange(16, dtype='f').reshape(4, 4) / 10 - 0.7
        y = link(*args)
        y.grad = numpy.ones_like(y.array)
        y.backward()
        out[f'link/{name}/y'] = y.array
        for path, p in link.namedparams():
            out[f'link/{name}{path}'] = p.array
            out[f'link/{name}{path}_grad'] = p.grad
    numpy.random.seed(6)
    alias = WalkerAlias([1, 2, 3, 4])
    out['walker/threshold'], out['walker/values'], out['walker/samples'] = alias.threshold, alias.values, alias.sample((5, 4))


def vision(out):
    """Features of networks in test mode on one picture, modules with gradients, and prepared pictures."""
    r = numpy.random.RandomState(9)
    picture, pixels = r.rand(1, 3, 64, 64).astype('f'), r.randint(0, 256, (17, 23, 3)).astype('u1')
    out.update({'vision/picture': picture, 'vision/bytes': pixels})
    networks = {
        'resnet50': (lambda: L.ResNet50Layers(None), 'res4'),
        'resnet50_fb': (lambda: L.ResNet50Layers(None, downsample_fb=True), 'res3'),
        'googlenet': (lambda: L.GoogLeNet(None), 'inception_4a'),
    }
    with chainer.using_config('train', False), chainer.no_backprop_mode():
        for name, (make, layer) in networks.items():
            numpy.random.seed(5)
            out['vision/' + name] = make()(picture, layers=[layer])[layer].array.mean(axis=(2, 3))
    models = L.model.vision
    out['vision/vgg'] = models.vgg.prepare(pixels, size=(9, 5))
    out['vision/googlenet_prepared'] = models.googlenet.prepare(pixels.transpose(2, 0, 1), size=None)
    out['vision/resnet'] = models.resnet.prepare(pixels[:, :, 0], size=(31, 31))


def distributions(out):
    """Samples under a seed, of float32 parameters: the noise is drawn in float64 and rounded."""
    r = numpy.random.RandomState(3)
    a, b = r.rand(2, 3).astype('f') + 0.5, r.rand(2, 3).astype('f') + 0.5
    tril = (numpy.tril(r.rand(2, 3, 3)) + numpy.eye(3)).astype('f')
    p = (a / a.sum(axis=1, keepdims=True)).astype('f')
    out.update({'sample/a': a, 'sample/b': b, 'sample/tril': tril, 'sample/p': p})
    cases = {
        'Bernoulli': lambda: D.Bernoulli(p), 'Beta': lambda: D.Beta(a, b), 'Categorical': lambda: D.Categorical(p),
        'Dirichlet': lambda: D.Dirichlet(a), 'Laplace': lambda: D.Laplace(a, b), 'LogNormal': lambda: D.LogNormal(a, b),
        'MultivariateNormal': lambda: D.MultivariateNormal(a, scale_tril=tril), 'Normal': lambda: D.Normal(a, b),
        'Uniform': lambda: D.Uniform(loc=a, scale=b),
    }
    for name, make in cases.items():
        numpy.random.seed(7)
        out[f'sample/{name}'] = make().sample((4, 2)).array
    d1, d2 = D.MultivariateNormal(a, scale_tril=tril), D.MultivariateNormal(b, scale_tril=tril * 2)
    out['multivariate/log_prob'], out['multivariate/entropy'] = d1.log_prob(b).array, d1.entropy.array
    out['multivariate/kl'] = chainer.kl_divergence(d1, d2).array
    tree = L.BinaryHierarchicalSoftmax.create_huffman_tree({0: 8, 1: 5, 2: 6, 3: 4})
    assert tree == ((3, 1), (2, 0)), tree


def iterators(out):
    for repeat in (False, True):
        for shuffle in (False, True):
            numpy.random.seed(8)
            it = chainer.iterators.SerialIterator(list(range(10)), 4, repeat=repeat, shuffle=shuffle)
            rows = []
            for _ in range(7):
                try:
                    batch = it.next()
                except StopIteration:
                    break
                rows.append(list(batch) + [-1] * (4 - len(batch)) + [it.epoch, it.is_new_epoch, it.epoch_detail])
            out[f'iterator/{int(repeat)}{int(shuffle)}'] = numpy.array(rows, 'd')


def firings(out):
    """The iterations at which triggers fire, seven iterations an epoch; the value reported is a fixed sequence."""
    values = numpy.random.RandomState(5).rand(40)
    out['trigger/values'] = values
    cases = {
        'interval_iteration': triggers.IntervalTrigger(3, 'iteration'), 'interval_epoch': triggers.IntervalTrigger(2, 'epoch'),
        'interval_part': triggers.IntervalTrigger(0.4, 'epoch'),
        'manual_iteration': triggers.ManualScheduleTrigger([2, 5, 29], 'iteration'),
        'manual_epoch': triggers.ManualScheduleTrigger([0.3, 1.2, 4], 'epoch'),
        'max': triggers.MaxValueTrigger('value', (3, 'iteration')), 'min': triggers.MinValueTrigger('value', (1, 'epoch')),
        'early': triggers.EarlyStoppingTrigger(check_trigger=(2, 'iteration'), monitor='value', patients=4,
                                               max_trigger=(40, 'iteration')),
    }
    for name, trigger in cases.items():
        trainer = chainer.testing.get_trainer_with_mock_updater(stop_trigger=(40, 'iteration'), iter_per_epoch=7)
        fired = []
        for i in range(40):
            trainer.updater.update()
            trainer.observation = {'value': values[i]}
            if trigger(trainer):
                fired.append(trainer.updater.iteration)
        out['trigger/' + name] = numpy.array(fired, 'l')


def log(out):
    with tempfile.TemporaryDirectory() as folder:
        numpy.random.seed(1)
        model = L.Classifier(MLP(8, 10))
        opt = optimizers.SGD(0.1).setup(model)
        it = chainer.iterators.SerialIterator(teacher_data(200), 40)
        trainer = training.Trainer(training.StandardUpdater(it, opt), (4, 'epoch'), out=folder)
        trainer.extend(extensions.LogReport(trigger=(3, 'iteration')))
        trainer.extend(extensions.ExponentialShift('lr', 0.5), trigger=(1, 'epoch'))
        trainer.extend(extensions.observe_lr(), trigger=(1, 'iteration'))
        trainer.run()
        entries = json.load(open(folder + '/log'))
        keys = ['epoch', 'iteration', 'main/loss', 'main/accuracy', 'lr']
        assert sorted(entries[0]) == sorted(keys + ['elapsed_time']), entries[0]
        out['log'] = numpy.array([[e[k] for k in keys] for e in entries])


results = {}
links(results), vision(results), distributions(results), iterators(results), firings(results), log(results)
numpy.savez_compressed(HERE + '/training.npz', **results)
print(len(results), 'arrays in training.npz')
