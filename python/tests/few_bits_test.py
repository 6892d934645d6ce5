# SPDX-License-Identifier: MIT
"""Weights of 4 and 8 bits: products with the rounded weights, links that contain such links, adaptation, files."""
import copy
import pickle

import numpy
import pytest

import chainer
from chainer import functions as F
from chainer import inference, link_hooks, links as L, models, serializers


def rand(*shape):
    return numpy.random.RandomState(len(shape)).rand(*shape).astype('f')


class Tagger(chainer.Chain):
    def __init__(self):
        super(Tagger, self).__init__()
        with self.init_scope():
            self.words = L.EmbedID(50, 24, ignore_label=-1)
            self.l1 = L.Linear(24, 40)
            self.l2 = L.Linear(40, 7, nobias=True)

    def forward(self, x):
        return self.l2(F.relu(self.l1(self.words(x), n_batch_axes=2)), n_batch_axes=2)


def rounded_like(model):
    """Returns a function that computes with the rounded weights of a Tagger as floats."""
    words, l1, l2 = [numpy.array(link.quantized.to_float()) for link in (model.words, model.l1, model.l2)]

    def forward(x):
        h = F.embed_id(x, words, ignore_label=-1)
        return F.linear(F.relu(F.linear(h, l1, model.l1.b, n_batch_axes=2)), l2, n_batch_axes=2)
    return forward


@pytest.mark.parametrize('bits', [4, 8])
def test_weights_of_few_bits(bits, tmp_path):
    net, ids = Tagger(), numpy.array([[3, 49, 0], [-1, 7, 7]], 'i')
    plain = copy.deepcopy(net)
    report = inference.quantize_weights(net, bits=bits, group=8, least_size=0)
    assert sorted(w.path for w in report) == ['/l1', '/l2', '/words']
    words = [w for w in report if w.path == '/words'][0]
    assert words.bytes_before == 4800 and words.bytes_after == 50 * 24 * bits // 8 + 50 * 3 * 4
    assert all(0 < w.error < (0.1 if bits == 4 else 0.01) for w in report)
    assert inference.quantize_weights(net, least_size=0) == []
    for _ in range(3):
        numpy.testing.assert_allclose(net(ids).array, rounded_like(net)(ids).array, atol=1e-5)
    assert numpy.abs(net(ids).array - plain(ids).array).max() < (1 if bits == 4 else 0.1)
    assert {p for p, _ in net.namedparams()} == {'/l1/b'} and net.l1.W is None
    assert net.l1.quantized.bits == bits and net.l1.quantized.shape == (40, 24)
    h = rand(5, 24)
    numpy.testing.assert_allclose(
        net.words.scores(h).array, h @ net.words.quantized.to_float().T, atol=1e-5)
    # Gradients reach the input and the bias.
    x = chainer.Variable(h)
    net.cleargrads()
    F.sum(net.l1(x) ** 2).backward()
    y = net.l1(h).array
    numpy.testing.assert_allclose(x.grad, 2 * y @ net.l1.quantized.to_float(), rtol=1e-4, atol=1e-4)
    numpy.testing.assert_allclose(net.l1.b.grad, 2 * y.sum(axis=0), rtol=1e-4, atol=1e-4)
    # Copies, pickles, files.
    y = net(ids).array
    for again in (copy.deepcopy(net), net.copy('share'), pickle.loads(pickle.dumps(net))):
        numpy.testing.assert_array_equal(again(ids).array, y)
    for save, load in ((serializers.save_npz, serializers.load_npz),
                       (serializers.save_hdf5, serializers.load_hdf5)):
        other = Tagger()
        inference.quantize_weights(other, bits=bits, group=8, least_size=0)
        assert numpy.abs(other(ids).array - y).max() > 0.1
        save(tmp_path / 'few', net)
        load(tmp_path / 'few', other)
        numpy.testing.assert_array_equal(other(ids).array, y)
        wrong = Tagger()
        inference.quantize_weights(wrong, bits=12 - bits, group=8, least_size=0)
        with pytest.raises(ValueError, match='W_values must be u?int8 of shape'):
            load(tmp_path / 'few', wrong)
    other = Tagger()
    inference.quantize_weights(other, bits=bits, group=8, least_size=0)
    other.copyparams(net)
    numpy.testing.assert_array_equal(other(ids).array, y)


def test_links_of_links_with_weights_of_few_bits():
    x, h = rand(3, 16), rand(3, 16)

    def twice(link):
        link.reset_state()
        link(x)
        return link(x)
    for link, count, run in (
            (L.LSTM(16, 16), 2, twice), (L.LSTM(16), 2, twice), (L.StatefulGRU(16, 16), 6, twice),
            (L.StatelessLSTM(16, 16), 2, lambda link: link(h, h, x)[1]), (L.StatefulMGU(16, 16), 2, twice),
            (L.StatefulPeepholeLSTM(16, 16), 5, twice), (L.StatefulZoneoutLSTM(16, 16), 2, twice),
            (L.ChildSumTreeLSTM(16, 16), 3, lambda link: link(h, x, x, h, x)[1]),
            (L.NaryTreeLSTM(16, 16, 2), 3, lambda link: link(h, x, x, h, x)[1]),
            (L.Maxout(16, 8, 2), 1, lambda link: link(x)), (L.Highway(16), 2, lambda link: link(x)),
            (L.LowRank(L.Linear(16, 16), 4, initial_up=0.5), 1, lambda link: link(x)),
            (L.MultiHeadAttention(16, 2), 4, lambda link: link(rand(2, 5, 16))),
            (L.TransformerDecoderLayer(16, 2), 10, lambda link: link(rand(2, 5, 16), rand(2, 5, 16)))):
        with chainer.using_config('train', False):
            before = run(link).array.copy()
            assert len(inference.quantize_weights(link, bits=8, group=8, least_size=0)) == count
            after = run(link).array
            assert 0 < numpy.abs(after - before).max() < 0.03 * numpy.abs(before).max(), type(link)
            numpy.testing.assert_array_equal(run(link).array, after)


def test_adapted_weights_of_few_bits():
    x = rand(3, 16)
    trained = L.Linear(16, 24)
    trained.quantize(4, 8)
    adapted = L.LowRank(copy.deepcopy(trained), 4, alpha=8, initial_up=0.5)
    floats = L.Linear(16, 24, initialW=numpy.array(trained.quantized.to_float()))
    plain = L.LowRank(floats, 4, alpha=8)
    for name in ('up', 'down'):
        getattr(plain, name).array = getattr(adapted, name).array.copy()
    for link in (adapted, plain):
        link.cleargrads()
        F.sum(link(x) ** 2).backward()
        assert link.linear.b.grad is None
    for name in ('up', 'down'):
        numpy.testing.assert_allclose(
            getattr(adapted, name).grad, getattr(plain, name).grad, rtol=1e-4, atol=1e-4)
    with pytest.raises(RuntimeError, match='LowRank: a weight of 4 bits can be neither merged'):
        adapted.merge()

    # By the hook: quantized before and after.
    x, before = rand(2, 5, 16), L.TransformerEncoderLayer(16, 2, dropout=0)
    before(x)  # creates all weights
    after = copy.deepcopy(before)
    inference.quantize_weights(before, bits=4, group=8, least_size=0)
    both = [L.LowRankAdaptation(m, rank=2, alpha=6, links=('query', 'linear1')) for m in (before, after)]
    inference.quantize_weights(after, bits=4, group=8, least_size=0)
    values, grads = {}, []
    for adapted in both:
        for path, p in sorted(adapted.namedparams()):
            p.array[...] = values.setdefault(path, rand(*p.shape))
        adapted.cleargrads()
        y = adapted(x)
        assert numpy.abs(y.array - adapted.model.copy('copy')(x).array).max() == 0
        F.sum(y ** 3).backward()
        grads.append([y.array] + [p.grad for _, p in sorted(adapted.namedparams())])
        assert len(grads[-1]) == 5 and all(numpy.abs(g).max() > 0 for g in grads[-1])
        with pytest.raises(RuntimeError, match='/attention/query has 4 bits and cannot be merged'):
            adapted.merge()
    for a, b in zip(*grads):
        numpy.testing.assert_array_equal(a, b)


def test_text_is_generated_with_weights_of_few_bits():
    gpt = models.Gpt2(vocab_size=60, n_positions=32, n_embd=32, n_layer=2, n_head=2, n_inner=64)
    gpt(numpy.array([[1]], 'i'))  # creates all weights
    rounded = copy.deepcopy(gpt)
    assert len(inference.quantize_weights(gpt, bits=4, group=32, least_size=0)) == 14
    others = dict(rounded.namedlinks())
    for path, link in gpt.namedlinks():
        if getattr(link, 'quantized', None) is not None:
            others[path].W.array = numpy.array(link.quantized.to_float())
    prompts = [[1, 2, 3], [7]]
    assert models.generate(gpt, prompts, 12) == models.generate(rounded, prompts, 12)


class Scaled(L.Linear):
    def forward(self, x):
        return F.linear(x, self.W * 2)


def test_all_weights_are_quantized_or_none():
    net = chainer.Sequential(L.Linear(16, 16), L.Linear(16, 16), Scaled(16, 16))
    net[1].W.array[3, 3] = numpy.inf
    with pytest.raises(ValueError, match='quantize_weights: /2: Linear: a weight is inf'):
        inference.quantize_weights(net, group=8, least_size=0)
    assert net[0].W._has_array
    net[1].W.array[3, 3] = 0
    assert len(inference.quantize_weights(net, group=8, least_size=0)) == 2
    assert net(rand(1, 16)).shape == (1, 16)


def test_what_quantize_weights_refuses():
    link = L.Linear(16, 8)
    for options, message in (({'bits': 3}, 'weights have 4 or 8 bits, not 3'), ({'group': 12}, 'elements, not 12')):
        with pytest.raises(ValueError, match=message):
            inference.quantize_weights(link, least_size=0, **options)
    hooked = L.Linear(16, 8)
    hooked.add_hook(link_hooks.SpectralNormalization())
    with pytest.raises(RuntimeError, match='Linear: the hook SpectralNormalization computes with W; delete it before'):
        inference.quantize_weights(hooked, group=8, least_size=0)
    link.W.array[0, 0] = numpy.inf
    with pytest.raises(ValueError, match='Linear: a weight is inf'):
        inference.quantize_weights(link, least_size=0)
    assert link.W._has_array
    with pytest.raises(RuntimeError, match='unknown before the first call'):
        L.Linear(None, 3).quantize()
    link.W.array[0, 0] = 1
    link.quantize(8, 8)
    with pytest.raises(RuntimeError, match='Linear: the weight has 8 bits already'):
        link.quantize()
