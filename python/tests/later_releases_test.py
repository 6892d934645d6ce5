# SPDX-License-Identifier: MIT
"""Links, link hooks and functions of releases 6 and 7, and low-rank adaptation."""
import copy

import numpy
import pytest

import chainer
from chainer import functions as F
from chainer import links as L, serializers

from beyond_test import rand, without_graph


def adapted_encoder(**options):
    model = L.TransformerEncoder(2, 8, 2, dropout=0)
    model(rand(1, 3, 8))
    return model, L.LowRankAdaptation(model, rank=2, alpha=4, **options)


def test_adaptation_of_low_rank_trains_few_parameters(tmp_path):
    x = rand(6, 3, 8)
    t = numpy.array([0, 1] * 3, 'i')
    model, adapted = adapted_encoder()
    before = {path: p.array.copy() for path, p in model.namedparams()}
    plain = model(x).array
    assert len(adapted.paths) == 4 and sum(p.size for p in adapted.params()) == 4 * 2 * 2 * 8
    assert sorted(p for p, _ in adapted.namedparams())[0].endswith('/attention/query/down')
    tagger = chainer.Chain(features=adapted, head=L.Linear(8, 2))
    optimizer = chainer.optimizers.Adam(0.02).setup(tagger)
    losses = []
    for _ in range(60):
        loss = F.softmax_cross_entropy(tagger.head(F.mean(tagger.features(x), axis=1)), t)
        tagger.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(float(loss.array))
    assert losses[-1] < 0.5 * losses[0]
    for path, p in model.namedparams():
        numpy.testing.assert_array_equal(p.array, before[path])
        assert numpy.isnan(p.grad).all()  # no gradient was computed
    y = adapted(x).array
    serializers.save_npz(tmp_path / 'adapted', adapted)
    other_model, other = adapted_encoder()
    other_model.copyparams(model)
    serializers.load_npz(tmp_path / 'adapted', other)
    numpy.testing.assert_array_equal(other(x).array, y)
    copied = copy.deepcopy(adapted)
    for p in copied.params():
        p.array[...] = 0
    numpy.testing.assert_allclose(copied(x).array, plain, atol=1e-6)
    numpy.testing.assert_array_equal(adapted(x).array, y)
    with pytest.raises(ValueError, match='is adapted already'):
        L.LowRankAdaptation(model)
    adapted.merge()
    numpy.testing.assert_allclose(model(x).array, y, atol=1e-5)
    assert not list(adapted.params())
    with pytest.raises(RuntimeError, match='merged already'):
        adapted.merge()


def test_adaptation_with_dropout():
    x = rand(2, 3, 8)
    _, adapted = adapted_encoder(dropout=0.5)
    for p in adapted.params():
        p.array[...] = numpy.random.normal(size=p.shape)
    assert not numpy.array_equal(adapted(x).array, adapted(x).array)
    y = without_graph(adapted, x).array
    adapted.merge()
    numpy.testing.assert_allclose(without_graph(adapted, x).array, y, atol=1e-4)
    # Each input of the product is dropped or doubled.
    model = chainer.Chain(l=L.Linear(3, 1))
    model.forward = lambda x: model.l(x)
    model.l.W.array[...] = 0
    adapted = L.LowRankAdaptation(model, rank=1, links=['l'], dropout=0.5)
    adapted.l.down.array[...] = [[1, 10, 100]]
    adapted.l.up.array[...] = 1
    seen = {float(adapted(numpy.ones((1, 3), 'f')).array[0, 0]) for _ in range(200)}
    assert seen == {2. * (a + 10 * b + 100 * c) for a in (0, 1) for b in (0, 1) for c in (0, 1)}


def test_what_adaptation_refuses():
    for options, message in (({'rank': 0}, 'rank'), ({'dropout': 1}, 'dropout'), ({'links': ['keys']}, "named 'keys'")):
        with pytest.raises(ValueError, match=message):
            L.LowRankAdaptation(L.TransformerEncoder(1, 8, 2), **options)
    with pytest.raises(ValueError, match='has no size yet'):
        L.LowRankAdaptation(chainer.Chain(l=L.Linear(3)), links=['l'])
    with pytest.raises(ValueError, match='must be a Linear'):
        L.LowRankAdaptation(chainer.Chain(l=L.EmbedID(3, 2)), links=['l'], dropout=0.5)


def test_spectral_normalization(tmp_path):
    from chainer.link_hooks import SpectralNormalization
    numpy.random.seed(0)
    for make, x in ((lambda: L.Linear(6, 4, nobias=True), rand(2, 6)),
                    (lambda: L.Deconvolution2D(3, 2, 3, nobias=True), rand(1, 3, 4, 4))):
        link = make()
        link.add_hook(SpectralNormalization(n_power_iteration=50))
        y, weight = link(x).array, link.W
        link(x)
        assert link.W is weight and isinstance(weight, chainer.Parameter)
        axis = 1 if weight.ndim == 4 else 0
        rows = numpy.moveaxis(weight.array, axis, 0).reshape(weight.shape[axis], -1)
        largest = numpy.linalg.svd(rows)[1][0]
        plain = make()
        plain.copyparams(link, copy_persistent=False)
        numpy.testing.assert_allclose(y * largest, plain(x).array, rtol=1e-3, atol=1e-4)
        serializers.save_npz(tmp_path / 'link.npz', link)
        with numpy.load(tmp_path / 'link.npz') as file:
            assert sorted(file.files) == ['W', 'W_u']
    link = L.Linear(6, 4)
    link.add_hook(SpectralNormalization(use_gamma=True, factor=2))
    link.cleargrads()
    F.sum(link(rand(2, 6))).backward()
    assert link.W_gamma.grad is not None and link.W.grad is not None
    with pytest.raises(chainer.utils.type_check.InvalidType):
        link(rand(2, 5))
    assert isinstance(link.W, chainer.Parameter)
    with pytest.raises(ValueError, match='no parameter'):
        L.Linear(2, 2).add_hook(SpectralNormalization(weight_name='V'))


def test_hooks_of_links_without_sizes():
    from chainer.link_hooks import SpectralNormalization, WeightStandardization
    for hook in (SpectralNormalization, WeightStandardization):
        for link, x in ((L.Linear(None, 4), rand(2, 3, 2)), (L.Convolution2D(None, 4, 3), rand(1, 3, 5, 5)),
                        (L.Deconvolution2D(None, 4, 3), rand(1, 3, 5, 5))):
            link.add_hook(hook())
            assert link(x).shape[1] == 4 and isinstance(link.W, chainer.Parameter)
            names = set(link.__dict__)
            link.delete_hook(hook.name)
            assert names - set(link.__dict__) == ({'W_u'} if hook is SpectralNormalization else set())
            link(x)
            link.add_hook(hook())
            link(x)
        link = L.Linear(None, 4).add_hook(hook())
        assert link(rand(2, 3, 5), n_batch_axes=2).shape == (2, 3, 4) and link.W.shape == (4, 5)


def test_weight_standardization():
    from chainer.link_hooks import WeightStandardization
    link = L.Convolution2D(3, 4, 3, nobias=True)
    x = rand(1, 3, 5, 5)
    weight = link.W.array
    link.add_hook(WeightStandardization(eps=0.1))
    y = link(x)
    centered = weight - weight.mean(axis=(1, 2, 3), keepdims=True)
    expected = centered / numpy.sqrt((centered ** 2).mean(axis=(1, 2, 3), keepdims=True) + 0.1)
    numpy.testing.assert_allclose(y.array, F.convolution_2d(x, expected).array, rtol=1e-4, atol=1e-5)
    link.cleargrads()
    F.sum(y * y).backward()
    numpy.testing.assert_allclose(link.W.grad.sum(axis=(1, 2, 3)), 0, atol=1e-3)


def test_a_hook_replaces_the_result_of_a_call():
    class Doubled(chainer.LinkHook):
        aborted = 0

        def forward_postprocess(self, args):
            args.out = args.out * 2

        def forward_aborted(self, args):
            self.aborted += 1

    link = L.Linear(2, 2)
    x = rand(1, 2)
    with Doubled() as hook:
        numpy.testing.assert_array_equal(link(x).array * 1, L.Linear.forward(link, x).array * 2)
        with pytest.raises(chainer.utils.type_check.InvalidType):
            link(rand(1, 3))
    assert hook.aborted == 1


def test_regions_of_images():
    x = numpy.arange(12, dtype='f').reshape(1, 1, 3, 4)
    rois, first = numpy.array([[0, 1, 2, 3]], 'f'), numpy.array([0], 'i')
    assert F.roi_max_pooling_2d(x, rois, first, 1, 1).array == 6
    assert F.roi_average_pooling_2d(x, rois, first, (1, 1), 1.).array == 3.5
    assert F.roi_max_align_2d(x, rois, first, 1, 1, sampling_ratio=1).array == 6
    assert F.roi_max_align_2d(x, rois, first, 2, spatial_scale=1.).shape == (1, 1, 2, 2)
    with pytest.raises(IndexError, match='region 0 refers to image 2'):
        F.roi_max_pooling_2d(x, rois, first + 2, 1, 1)


def test_decorrelated_batch_normalization(tmp_path):
    link = L.DecorrelatedBatchNormalization(4, groups=2, decay=0.5)
    x = numpy.random.RandomState(0).normal(size=(500, 4)).astype('f') @ rand(4, 4)
    y = link(x).array
    for k in (0, 2):
        numpy.testing.assert_allclose(numpy.cov(y[:, k:k + 2].T, bias=True), numpy.eye(2), atol=2e-2)
    numpy.testing.assert_allclose(link.avg_mean, x.mean(0).reshape(2, 2) * 0.5, atol=1e-5)
    link.start_finetuning()
    link(x, finetune=True)
    assert link.N == 1
    serializers.save_npz(tmp_path / 'link.npz', link)
    other = L.DecorrelatedBatchNormalization(4, groups=None, group_size=2)
    serializers.load_npz(tmp_path / 'link.npz', other)
    with chainer.using_config('train', False):
        numpy.testing.assert_allclose(other(x).array, y * 500 / 499, rtol=1e-3, atol=1e-3)
    with pytest.raises(ValueError, match='groups 3 times group_size 1'):
        L.DecorrelatedBatchNormalization(4, groups=3)
