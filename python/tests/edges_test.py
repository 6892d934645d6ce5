# SPDX-License-Identifier: MIT
"""Classes of errors and values at the edges, as the release has them."""
import threading

import numpy as np
import pytest

import chainer
import chainer.functions as F
from chainer.utils import type_check


def ones(*shape):
    return np.ones(shape, 'f')


X = ones(1, 2, 3, 3)


@pytest.mark.parametrize('error', [type_check.InvalidType, ValueError])
def test_an_axis_out_of_range(error):
    with pytest.raises(error):
        F.sum(X, axis=4)


@pytest.mark.parametrize('f', [
    lambda: F.max_pooling_2d(X, 5, cover_all=False), lambda: F.average_pooling_2d(X, 5),
    lambda: F.max_pooling_nd(X, 9, 1), lambda: F.average_pooling_nd(X, 5),
    lambda: F.convolution_2d(X, ones(4, 2, 5, 5)), lambda: F.convolution_nd(ones(1, 2, 3), ones(4, 2, 5)),
    lambda: F.dilated_convolution_2d(X, ones(4, 2, 3, 3), dilate=4),
    lambda: F.depthwise_convolution_2d(X, ones(1, 2, 5, 5)), lambda: F.im2col(X, 5),
    lambda: F.deconvolution_nd(X, ones(2, 4, 1, 1), pad=2)])
@pytest.mark.parametrize('error', [AssertionError, ValueError])
def test_windows_without_a_position_are_the_releases_assertion_and_a_wrong_value(f, error):
    with pytest.raises(error):
        f()


def test_other_sizes_that_do_not_fit():
    with pytest.raises(RuntimeError):
        F.deconvolution_2d(X, ones(2, 4, 1, 1), pad=2)
    for f in (F.unpooling_2d, F.unpooling_nd):
        with pytest.raises(type_check.InvalidType):
            f(X, 1, 1, 0, (9, 9))
        with pytest.raises(ValueError):  # (The release makes an image without pixels.)
            f(X, 1, 1, 2)
    for f in (F.bias, F.scale):
        with pytest.raises(type_check.InvalidType):
            f(ones(2, 3), ones(4), 1)


@pytest.mark.parametrize('f, op', [(F.bias, np.add), (F.scale, np.multiply)])
def test_bias_and_scale_repeat_lengths_of_one(f, op):
    x = np.random.rand(2, 3, 4).astype('f')
    for shape, axis, full in (((3, 1), 1, (1, 3, 1)), ((1, 1), 0, (1, 1, 1)), ((1, 4), 1, (1, 1, 4)), ((), 1, ())):
        y = chainer.Variable(np.random.rand(*shape).astype('f') if shape else np.array(2, 'f'))
        z = f(x, y, axis)
        assert np.array_equal(z.array, op(x, y.array.reshape(full)))
        z.grad = np.ones_like(x)
        z.backward()
        assert y.grad.shape == y.shape


def test_grad_that_retains_leaves_the_leaves_alone():
    x, w = chainer.Variable(ones(2)), chainer.Variable(ones(2))
    y = x * w
    z = F.sum(y * y)
    for twice in (False, True):
        chainer.grad([z], [x, y], retain_grad=True, enable_double_backprop=twice)
        assert x.grad is None and w.grad is None
        assert y.grad.tolist() == [2, 2] and z.grad == 1
        y.cleargrad()
    chainer.grad([z], [y], retain_grad=True)
    assert y.grad.tolist() == [2, 2]
    chainer.grad([z], [x], set_grad=True)
    assert x.grad.tolist() == [2, 2]


@pytest.mark.parametrize('dtype', 'efd')
def test_contrastive_of_equal_points(dtype):
    x = chainer.Variable(np.array([[1, 2], [3, 4]], dtype))
    y = chainer.Variable(np.array([[1, 2], [3, 4]], dtype))
    loss = F.contrastive(x, y, np.array([0, 1], 'i'), 2.5, 'no')
    assert loss.array.tolist() == [3.125, 0]
    loss.grad = np.ones(2, dtype)
    loss.backward()
    assert not x.grad.any() and not y.grad.any()


@pytest.mark.parametrize('ndim', [1, 2, 3])
@pytest.mark.parametrize('ksize, stride, pad, cover_all, length', [
    (2, None, 0, True, 3), (2, None, 0, False, 4), (3, 1, 1, True, 2), (3, 2, 2, False, 1), (1, 3, 0, True, 2),
    (1, 3, 0, False, 4)])
def test_lengths_of_unpooling(ndim, ksize, stride, pad, cover_all, length):
    x = ones(*(1, 1) + (2,) * ndim)
    assert F.unpooling_nd(x, ksize, stride, pad, cover_all=cover_all).shape == (1, 1) + (length,) * ndim


def test_unpooling_adds_what_overlaps_and_leaves_gaps():
    x = np.array([[[1, 2]]], 'f')
    assert F.unpooling_nd(x, 3, 1, cover_all=False).array.tolist() == [[[1, 3, 3, 2]]]
    assert F.unpooling_nd(x, 1, 3, cover_all=False).array.tolist() == [[[1, 0, 0, 2]]]


@pytest.mark.parametrize('dtype', 'fd')
def test_black_out(dtype):
    random = np.random.RandomState(0)
    x, W = random.randn(2, 3).astype(dtype), random.randn(5, 3).astype(dtype)
    t, samples = np.array([1, 4], 'i'), np.array([[0, 2, 3], [1, 1, 0]], 'i')
    p = np.exp(np.stack([W[np.r_[t[i], samples[i]]] @ x[i] for i in range(2)]))
    p /= p.sum(1, keepdims=True)
    expected = -np.log(p[:, 0]) - np.log(1 - p[:, 1:]).sum(1)
    np.testing.assert_allclose(F.black_out(x, t, W, samples, 'no').array, expected, rtol=1e-5)
    np.testing.assert_allclose(F.black_out(x, t, W, samples).array, expected.mean(), rtol=1e-5)
    with pytest.raises(IndexError):
        F.black_out(x, np.array([1, 5], 'i'), W, samples)


@pytest.mark.parametrize('dtype', 'efd')
def test_swish(dtype):
    x = np.random.randn(2, 3, 2).astype(dtype)
    for shape in ((3,), (3, 2)):
        beta = np.full(shape, 1.5, dtype)
        y = F.swish(x, beta)
        assert y.dtype == dtype
        assert np.allclose(y.array, x / (1 + np.exp(-1.5 * x)), atol=5e-3 if dtype == 'e' else 1e-6)
    for shape in ((1,), (3, 1)):
        with pytest.raises(type_check.InvalidType):
            F.swish(x, np.ones(shape, dtype))
    assert F.swish(np.array([[1000, -1000, 0]], dtype), np.ones(3, dtype)).array.tolist() == [[1000, 0, 0]]


def test_negative_ids_count_from_the_end():
    W = chainer.Variable(np.arange(6, dtype='f').reshape(3, 2))
    y = F.embed_id(np.array([-1, 0, -3], 'i'), W)
    assert y.array.tolist() == [[4, 5], [0, 1], [0, 1]]
    F.sum(y).backward()
    assert W.grad.tolist() == [[2, 2], [0, 0], [1, 1]]
    assert F.embed_id(np.array([-1, 0, -3], 'i'), W, 0).array.tolist() == [[4, 5], [0, 0], [0, 1]]
    assert F.embed_id(np.array([-1, -2], 'i'), W, -1).array.tolist() == [[0, 0], [2, 3]]
    for ids in ([3, 0], [-4, 0]):
        with pytest.raises(IndexError):
            F.embed_id(np.array(ids, 'i'), W)
    with chainer.using_config('debug', True), pytest.raises(ValueError):
        F.embed_id(np.array([-1, 0], 'i'), W)


@pytest.mark.parametrize('call', [
    lambda x: F.convolution_2d(x, ones(1, 2, 2, 2), stride=0), lambda x: F.max_pooling_2d(x, 2, 0),
    lambda x: F.im2col(x, 2, stride=0), lambda x: F.average_pooling_nd(x, 2, 0)])
def test_stride_zero_is_each_class_of_error_that_the_release_raises(call):
    for error in (ZeroDivisionError, ValueError, AssertionError):
        with pytest.raises(error):
            call(ones(1, 2, 5, 5))


def test_too_many_indices():
    for x, index in ((ones(2, 3), (0, 0, 0)), (np.array(1, 'f'), 0)):
        for error in (IndexError, type_check.InvalidType):
            with pytest.raises(error):
                chainer.Variable(x)[index]
    for error in (IndexError, ValueError):
        with pytest.raises(error):
            chainer.Variable(ones(2, 3))[..., ...]


def test_sampler_takes_the_offsets_size():
    x, W = ones(1, 2, 5, 5), ones(3, 2, 3, 3)
    for h, w in ((3, 3), (2, 3), (5, 4)):
        assert F.deformable_convolution_2d_sampler(x, np.zeros((1, 18, h, w), 'f'), W).shape == (1, 3, h, w)
    with pytest.raises(ValueError):
        F.deformable_convolution_2d_sampler(x, np.zeros((1, 17, 3, 3), 'f'), W)


def test_gradient_that_grad_returns_is_the_variables():
    x = chainer.Variable(ones(2))
    y = x * 3
    g, = chainer.grad([y], [x], set_grad=True)
    assert x.grad_var is g and type(g).__module__ == 'chainer.variable'
    assert chainer.grad([y], [x], [np.ones(2)])[0].dtype == 'f'


def test_parameters_of_children_with_a_params_of_their_own():
    class Half(chainer.Chain):
        def params(self, include_uninit=True):
            return iter(list(super(Half, self).params(include_uninit))[:1])
    child = Half(a=chainer.links.Linear(2, 3))
    model = chainer.Chain(c=child, d=chainer.links.Linear(None, 1))
    assert [p.name for p in model.params()] == ['W', 'W', 'b'] and len(list(model.params(False))) == 2
    model.d(ones(1, 2))
    model.cleargrads()
    assert [p.grad is None for p in model.params()] == [True] * 3
    assert child.a.b.grad is not None


def test_none_in_an_hdf5_file(tmp_path):
    h5py = pytest.importorskip('h5py')
    path = str(tmp_path / 'file')
    link = chainer.links.Linear(None, 2)
    link.add_persistent('nothing', None)
    chainer.serializers.save_hdf5(path, link)
    with h5py.File(path, 'r') as f:
        assert f['nothing'].shape is None and f['W'].shape is None and f['b'].shape == (2,)
    other = chainer.links.Linear(None, 2)
    other.add_persistent('nothing', 5)
    chainer.serializers.load_hdf5(path, other)
    assert other.nothing is None and not other.W.is_initialized


FLAT = np.arange(6, dtype='f').reshape(2, 3)
MAPS = np.ones((1, 2, 4, 4), 'f')


@pytest.mark.parametrize('call', [
    lambda: F.broadcast_to(FLAT, (2, 2)), lambda: F.broadcast(FLAT, FLAT[:, :2]), lambda: F.broadcast(), lambda: F.stack([]),
    lambda: F.concat([]), lambda: F.hstack([]), lambda: F.vstack([]), lambda: F.dstack([]), lambda: F.pad_sequence([]),
    lambda: F.pad_sequence([FLAT, FLAT[:1]], 1), lambda: F.pad_sequence([FLAT, FLAT[:, :2]]),
    lambda: F.transpose_sequence([FLAT[:1], FLAT]), lambda: F.split_axis(FLAT, 2, 1), lambda: F.split_axis(FLAT, [4], 1),
    lambda: F.rollaxis(FLAT, 0, 4), lambda: F.average(FLAT, 1, np.ones(2, 'f')),
    lambda: F.linear(FLAT, np.ones((4, 3), 'f'), n_batch_axes=3), lambda: chainer.links.Linear(8, 2)(MAPS),
    lambda: F.crf1d(np.ones((3, 2), 'f'), [FLAT], [FLAT[:, 0]]),
    lambda: F.upsampling_2d(MAPS, np.zeros((1, 2, 4, 3), 'i'), 2), lambda: F.unpooling_nd(MAPS, 2, outsize=(7,)),
    lambda: F.sparse_matmul(chainer.utils.to_coo(np.eye(3, dtype='f')), np.ones((4, 2), 'f'))])
def test_shapes_that_do_not_fit_are_found_in_type_checks(call):
    with pytest.raises(type_check.InvalidType):
        call()


@pytest.mark.parametrize('call, error', [
    (lambda: F.max_pooling_nd(MAPS, (2,)), AssertionError), (lambda: F.reshape(FLAT, (-1, -1)), AssertionError),
    (lambda: F.convolution_nd(MAPS, np.ones((3, 2, 3, 3), 'f'), stride=(1,)), AssertionError),
    (lambda: F.split_axis(FLAT, 0, 1), ZeroDivisionError),
    (lambda: F.select_item(FLAT, np.array([0, 3], 'i')), IndexError),
    (lambda: F.permutate(FLAT, np.array([0, 2], 'i')), IndexError)])
def test_classes_of_errors(call, error):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize('f', [F.sum, F.max, F.min, F.prod, F.logsumexp, F.mean, F.average, F.squeeze])
def test_a_list_of_axes_is_a_type_error(f):
    with pytest.raises(TypeError):
        f(FLAT[None], [0])


def test_lists_of_axes_where_the_release_takes_them():
    assert (F.transpose(FLAT, [1, 0]).array == FLAT.T).all() and (chainer.Variable(FLAT).transpose([1, 0]).array == FLAT.T).all()
    gamma = np.ones(2, 'f')
    y = F.batch_normalization(MAPS, gamma, gamma, axis=[0, 2, 3])
    assert (y.array == F.batch_normalization(MAPS, gamma, gamma, axis=(0, 2, 3)).array).all()
    assert (F.normalize(FLAT, axis=[1]).array == F.normalize(FLAT, axis=1).array).all()


def test_broadcast_of_one_array_is_one():
    assert F.broadcast(FLAT).shape == (2, 3)


def test_select_item_counts_from_the_end():
    x = chainer.Variable(FLAT)
    y = F.select_item(x, np.array([0, -1], 'i'))
    assert y.array.tolist() == [0, 5]
    F.sum(y).backward()
    assert x.grad.tolist() == [[1, 0, 0], [0, 0, 1]]
    with chainer.using_config('debug', True), pytest.raises(ValueError):
        F.select_item(x, np.array([0, -1], 'i'))


@pytest.mark.parametrize('call', [
    lambda: chainer.links.GRU(3, 2)(FLAT, FLAT), lambda: chainer.links.Scale(1)(FLAT),
    lambda: chainer.links.Scale(1, (3,))(FLAT, FLAT),
    lambda: chainer.links.Bilinear(3, 3, 4, initial_bias=np.ones(3, 'f'))])
def test_wrong_arguments_of_links(call):
    with pytest.raises(ValueError):
        call()


def test_a_group_that_an_hdf5_file_has_not(tmp_path):
    h5py = pytest.importorskip('h5py')
    path = str(tmp_path / 'a.h5')
    chainer.serializers.save_hdf5(path, chainer.links.Linear(2, 2))
    with pytest.raises(ValueError, match='predictor'):
        chainer.serializers.load_hdf5(path, chainer.links.Classifier(chainer.links.Linear(2, 2)))
    with h5py.File(path, 'r') as f:
        assert sorted(f) == ['W', 'b']


def test_the_tree_of_a_hierarchical_softmax():
    tree = chainer.links.BinaryHierarchicalSoftmax(3, ((0, 1), 2))._func
    assert tree.paths.tolist() == [0, 1, 0, 1, 0] and tree.codes.tolist() == [1, 1, 1, -1, -1]
    assert tree.begins.tolist() == [0, 2, 4, 5] and tree.parser_size == 2


def test_keys_of_parameter_statistics():
    key = chainer.training.extensions.ParameterStatistics.report_key_template.format(
        prefix='a/', link_name='b', param_name='/W', attr_name='grad', function_name='std')
    assert key == 'a/b/W/grad/std'


def test_names_of_backends():
    config = chainer.testing.BackendConfig({'use_cuda': False})
    assert config.get_func_str().startswith('use_cuda_false__use_cudnn_never')
    assert repr(config).startswith("<BackendConfig use_cuda=False use_cudnn='never'")


@pytest.mark.parametrize('call, error', [
    (lambda: F.dropout(FLAT.astype('i')), type_check.InvalidType),
    (lambda: F.gaussian(FLAT, FLAT[0]), type_check.InvalidType),
    (lambda: F.gaussian(FLAT, FLAT.astype('d')), type_check.InvalidType),
    (lambda: F.group_normalization(FLAT, 3, FLAT[0], FLAT[0]), ValueError),
    (lambda: F.batch_normalization(FLAT, FLAT[0], FLAT[0], axis=(1, 0)), RuntimeError)])
def test_errors_of_noise_and_normalization(call, error):
    with pytest.raises(error):
        call()


def test_cudnn_entries_are_those_of_the_library():
    def seen():
        return [chainer._core.config_text(key) for key in ('use_cudnn', 'use_cudnn_tensor_core')]

    before = seen()
    with chainer.using_config('use_cudnn', 'never'), chainer.using_config('use_cudnn_tensor_core', 'never'):
        assert seen() == ['never', 'never']
        other = []
        thread = threading.Thread(target=lambda: other.extend(seen()))
        thread.start()
        thread.join()
        assert other == before
    assert seen() == before
