# SPDX-License-Identifier: MIT
"""Links and chains, where they differed from the release's."""
import functools

import numpy as np
import pytest

import chainer
import chainer.functions as F
import chainer.links as L


def test_sequential_is_printed_as_in_the_manual():
    part = chainer.Sequential(L.Linear(10, 10), F.relu)
    model = chainer.Sequential(L.Linear(10, 5, nobias=True), F.sigmoid, part, L.Maxout(2, 2, 2),
                               functools.partial(F.max_pooling_2d, ksize=2), L.Linear(None, 2))
    lines = str(model).splitlines()
    assert [line.split() for line in lines[:2]] == [['0', 'Linear', 'W(5,', '10)'], ['1', 'sigmoid']]
    assert lines[2] == '2\tSequential\twhich has 2 layers'
    assert lines[3] == '3\tMaxout\tThe structure behind a Chain is determined at runtime.'
    assert lines[4].startswith('4\tfunctools.partial(')
    assert lines[5].split() == ['5', 'Linear', 'W(None)', 'b(2,)']


def test_sequential_takes_positions_as_a_list_does():
    a, b = L.Linear(2, 2), L.Linear(2, 2)
    model = chainer.Sequential(a)
    model.insert(7, F.relu)
    model.insert(-7, b)
    assert [layer for layer in model] == [b, a, F.relu]
    with pytest.raises(ValueError):
        model.insert(0, 'no')
    with pytest.raises(ValueError):
        model.append(1)
    model[-1] = F.tanh
    assert model.index(F.tanh) == 2 and F.relu not in model
    with pytest.raises(ValueError):
        model.copyparams(L.Linear(2, 2))
    assert model.count_by_layer_type('Linear') == 2
    model.remove_by_layer_type('Linear')
    assert len(model) == 1 and not list(model.params())


def test_new_parameters_of_a_copy_have_the_gradient_of_new_ones():
    link = L.Linear(3, 2)
    link.cleargrads()
    copied = link.copy('init')
    assert np.isnan(copied.W.grad).all() and np.isnan(copied.b.grad).all() and (copied.W.array != link.W.array).any()


def test_shapes_that_wait():
    link = L.DeformableConvolution2D(None, 3, 2)
    assert link.deform_conv.b.array is None
    link(np.ones((1, 2, 4, 4), 'f'))
    assert link.deform_conv.b.shape == (3,)
    assert np.isnan(L.BlackOut(2, [1, 2], 1).W.array).all()


def test_results_and_errors_as_in_the_release():
    score, path = F.argmax_crf1d(np.zeros((2, 2), 'f'), [np.ones((1, 2), 'f')])
    assert isinstance(path, list) and len(path) == 1
    with pytest.raises(chainer.utils.type_check.InvalidType):
        F.embed_id(np.array(1, 'i'), np.ones((3, 2), 'f'))


def test_words_are_drawn_as_by_the_release():
    """The table of Walker's alias method is the release's, so that a seed draws the same words."""
    alias = chainer.utils.WalkerAlias([5, 1, 2, 4])
    np.testing.assert_allclose(alias.threshold, [1 / 3, 2 / 3, 2 / 3, 1], rtol=1e-6)
    assert alias.values.tolist() == [1, 3, 2, 0, 3, 0, 0, 0]


def test_parameters_that_wait_are_drawn_in_the_releases_order():
    np.random.seed(0)
    model = L.Inception(None, 1, 1, 1, 1, 1, 1)
    np.random.seed(0)
    model(np.ones((1, 2, 3, 3), 'f'))
    drawn = np.random.RandomState(0).normal(0, 1, 2)
    np.testing.assert_allclose(model.conv1.W.array.ravel(), drawn / np.sqrt(2), rtol=1e-6)


def test_sequences_without_elements_keep_their_states():
    random = np.random.RandomState(0)
    xs = [random.rand(n, 3).astype('f') for n in (2, 0, 3, 0)]
    for link in (L.NStepLSTM(2, 3, 4, 0), L.NStepBiGRU(1, 3, 4, 0), L.NStepRNNTanh(1, 3, 4, 0)):
        out = link(*[None] * link.n_cells, xs)
        ys, state = out[-1], out[0].array
        assert [y.shape for y in ys] == [(len(x), 4 * link.direction) for x in xs]
        some = link(*[None] * link.n_cells, [xs[0], xs[2]])
        np.testing.assert_allclose(ys[2].array, some[-1][1].array, rtol=1e-5)
        np.testing.assert_allclose(state[:, [0, 2]], some[0].array, rtol=1e-5)
        assert np.abs(state[:, [1, 3]]).max() == 0
        F.sum(ys[0]).backward()


def test_convolutions_name_the_axes_and_the_channels():
    x = np.zeros((1, 3, 5, 5), 'f')
    for link in (L.ConvolutionND(3, 3, 4, 3), L.ConvolutionND(1, 3, 4, 3), L.DeconvolutionND(3, 3, 4, 3)):
        with pytest.raises(chainer.utils.type_check.InvalidType, match=r'onvolutionND .*\s+Expect: x\.ndim\(\) == W\.'):
            link(x)
    with pytest.raises(ValueError, match='Convolution2D: the number of input channels must be divisible by the number '
                                         'of groups, got 3 and 2'):
        L.Convolution2D(3, 4, 3, groups=2)
