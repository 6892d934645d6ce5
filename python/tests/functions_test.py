# SPDX-License-Identifier: MIT
"""Every function of the headers has a binding, in the module of its chapter, with the manual's parameters."""
import os
import re

import numpy as np
import pytest

import chainer
import chainer.functions as F
from chainer import _places
from chainer.utils import type_check

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def declared():
    folder = os.path.join(ROOT, 'chainer', 'functions')
    names = set()
    for f in os.listdir(folder):
        if f.endswith('.h'):
            with open(os.path.join(folder, f)) as text:
                names.update(re.findall(r'\n\} (\w+)\{\};', text.read()))
    return names


@pytest.mark.skipif(not os.path.isdir(os.path.join(ROOT, 'chainer', 'functions')), reason='the headers are not here')
def test_every_declared_function_is_bound():
    names = declared()
    assert len(names) > 200
    missing = [n for n in sorted(names) if not callable(getattr(F, n, None))]
    assert not missing
    assert names == set(_places.PLACES)


def test_modules():
    import chainer.functions.activation.relu
    from chainer.functions.math import basic_math
    assert chainer.functions.activation.relu.relu is F.relu
    assert basic_math.add is F.add


def test_keywords_and_words():
    x, t = np.random.rand(2, 3).astype('f'), np.array([0, 1], 'i')
    assert F.softmax_cross_entropy(x, t, reduce='no').shape == (2,)
    with pytest.raises(ValueError):
        F.softmax_cross_entropy(x, t, reduce='none')
    with pytest.raises(TypeError):
        F.relu(x, slope=1)
    with pytest.raises(TypeError):
        F.relu([1, 2])


def test_type_check():
    from chainer.utils import type_check
    with pytest.raises(type_check.InvalidType) as e:
        F.linear(np.ones((2, 3), 'f'), np.ones((4, 5), 'f'))
    assert 'Expect' in str(e.value) and e.value.expect and e.value.actual


def test_seed_decides_dropout():
    x = np.ones((4, 5), 'f')
    np.random.seed(1)
    a = F.dropout(x).array
    np.random.seed(1)
    assert np.array_equal(F.dropout(x).array, a)
    with chainer.using_config('train', False):
        assert np.array_equal(F.dropout(x).array, x)


def test_tensordot_einsum_pad_split():
    a, b = np.random.rand(2, 3, 4), np.random.rand(4, 3, 5)
    assert np.allclose(F.tensordot(a, b, ((1, 2), (1, 0))).array, np.tensordot(a, b, ((1, 2), (1, 0))))
    assert np.allclose(F.einsum('abc,cbd->ad', a, b).array, np.einsum('abc,cbd->ad', a, b))
    assert np.allclose(F.einsum(a, [0, 1, 2], b, [2, 1, 3], [0, 3]).array, np.einsum('abc,cbd->ad', a, b))
    assert np.array_equal(F.pad(a, ((1, 2), (0, 0), (0, 1)), 'constant', constant_values=3).array,
                          np.pad(a, ((1, 2), (0, 0), (0, 1)), 'constant', constant_values=3))
    assert [y.shape for y in F.split_axis(a, np.array([1, 2]), 1)] == [(2, 1, 4)] * 3


@pytest.mark.parametrize('index', [1, slice(None, None, -1), (Ellipsis, 0), (None, 1), [0, 1], np.array([1, 0]),
                                   (slice(1), [2, 0]), np.array([True, False])])
def test_indexes(index):
    a = np.random.rand(2, 3, 4).astype('f')
    x = chainer.Variable(a)
    y = x[index]
    assert np.array_equal(y.array, a[index])
    F.sum(y).backward()
    g = np.zeros_like(a)
    np.add.at(g, index, 1)
    assert np.array_equal(x.grad, g)


def test_ellipses_of_einsum():
    x, y = np.ones((2, 3), 'f'), np.ones((2, 3), 'f')
    assert F.einsum('...i,...i->...', x, y).shape == (2,)
    for subscripts, shapes in (('...i,...i', ((2, 2), (1, 2))), ('...i,...i', ((2,), (1, 2)))):
        with pytest.raises(type_check.InvalidType):
            F.einsum(subscripts, *[np.zeros(shape, 'f') for shape in shapes])
    for subscripts, shapes in (('...->', ((2,),)), ('j...i->ij', ((2, 1, 3),)), ('i,i->...', ((2,), (2,)))):
        with pytest.raises(ValueError, match='ellipsis'):
            F.einsum(subscripts, *[np.zeros(shape, 'f') for shape in shapes])
    with pytest.raises(type_check.InvalidType):
        F.dstack([np.zeros((), 'f'), np.zeros(1, 'f')])


def test_windows_that_do_not_fit_name_the_side():
    for shape, side in (((1, 1, 1, 4), 'Height'), ((1, 1, 4, 1), 'Width')):
        with pytest.raises(AssertionError, match=side + ' in the output should be positive.'):
            F.max_pooling_2d(np.zeros(shape, 'f'), 3, 2)
