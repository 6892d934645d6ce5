# SPDX-License-Identifier: MIT
"""Classes of the release's gradient nodes: their values are those of the functions' gradients, and differentiate."""
import importlib
import types

import numpy as np
import pytest

import chainer
import chainer.functions as F
from chainer import gradient_check

R = np.random.RandomState(0)


def r(*shape):
    return R.uniform(-1, 1, shape)


def p(*shape):
    return R.uniform(0.2, 0.9, shape)


def node(**attributes):
    return types.SimpleNamespace(**attributes)


def shaped(*shape):
    return node(shape=shape, dtype=np.dtype('d'))


X, Y, G = r(3, 4), r(3, 4), r(3, 4)
IMAGE = r(2, 3, 6, 5)
WINDOW = {'kh': 3, 'kw': 2, 'sy': 2, 'sx': 2, 'ph': 1, 'pw': 0}
WINDOW_ND = {'ndim': 2, 'ksize': (3, 2), 'stride': (2, 2), 'pad': (1, 0)}
# Copies, because another test counts the arrays that the library shares with NumPy.
POOLED, INDEXES = [np.array(getattr(v, 'array', v)) for v in F.max_pooling_2d(IMAGE, (3, 2), 2, (1, 0), True,
                                                                              return_indices=True)]
IN = {'_in_shape': IMAGE.shape, '_in_dtype': IMAGE.dtype}
CONV = node(inputs=(shaped(2, 3, 6, 5), shaped(4, 3, 3, 3)), sy=1, sx=2, ph=1, pw=1, dy=1, dx=1, cover_all=False,
            groups=1)
CONV_ND = node(inputs=(shaped(2, 3, 6), shaped(4, 3, 3)), ndim=1, stride=(1,), pad=(1,), dilate=(1,), cover_all=False,
               groups=1)
ROW, COL = np.array([0, 1, 2, 2], 'i'), np.array([1, 0, 3, 1], 'i')
SAMPLES = np.array([[1, 2, 2], [0, 3, 1]], 'i')


def linear(function, x):
    """The gradient of a function with respect to x, as a function of gy."""
    def call(gy):
        v = chainer.Variable(np.array(x))
        y = function(v)
        return chainer.grad([y], [v], [chainer.as_variable(gy)])
    return call


def both(function):
    """The gradients of a function with respect to its arguments, as a function of them and gy."""
    def call(*arrays):
        vs = [chainer.Variable(np.array(a)) for a in arrays[:-1]]
        return chainer.grad([function(*vs)], vs, [chainer.Variable(np.array(arrays[-1]))])
    return call


# Module, class, arguments, inputs, what the result is compared with.
ROWS = [
    ('activation.clipped_relu', 'ClippedReLUGrad2', (X, 0.5), (G,), linear(lambda x: F.clipped_relu(x, 0.5), X)),
    ('activation.clipped_relu', 'ClippedReLUGrad3', (X, X, 0.5), (G,), linear(lambda x: F.clipped_relu(x, 0.5), X)),
    ('activation.elu', 'ELUGrad', (0.7,), (X,), lambda x: linear(lambda v: F.elu(v, 0.7), x)(np.ones_like(x))),
    ('activation.hard_sigmoid', 'HardSigmoidGrad', (X * 4,), (G,), linear(F.hard_sigmoid, X * 4)),
    ('activation.leaky_relu', '_LeakyReLUGrad', (X >= 0, 0.2), (G,), linear(F.leaky_relu, X)),
    ('activation.rrelu', '_RReLUGrad', (X, X, p(3, 4)), (G,), None),
    ('activation.log_softmax', 'LogSoftmaxGrad', (np, (3, 4), X.dtype, 1), (np.array(F.log_softmax(X).array), G),
     lambda y, gy: linear(F.log_softmax, X)(gy)),
    ('activation.prelu', 'PReLUFunctionGrad', (X, (0,), (1, 4)), (X, r(4), G), both(F.prelu)),
    ('activation.relu', 'ReLUGrad2', (X,), (G,), linear(F.relu, X)),
    ('activation.relu', 'ReLUGradCudnn', (X, X), (G,), linear(F.relu, X)),
    ('activation.softmax', '_SoftmaxGrad', (1,), (np.array(F.softmax(X).array), G), lambda y, gy: linear(F.softmax, X)(gy)),
    ('activation.softplus', 'SoftplusGrad', ((1.5,),), (X, G), both(lambda x: F.softplus(x, 1.5))),
    ('activation.swish', 'SwishGrad', ((1, 4), (0,)), (X, r(4), G), both(F.swish)),
    ('array.diagonal', 'DiagonalGrad', ((3, 4), 1, 0, 1), (r(3),), linear(lambda x: F.diagonal(x, 1), X)),
    ('array.get_item', 'GetItemGrad', (([0, 0, 2],), (3, 4)), (r(3, 4),), linear(lambda x: x[[0, 0, 2]], X)),
    ('array.im2col', 'Im2ColGrad', (3, 1, 1, False, 1, IMAGE.shape), (r(2, 27, 6, 5),),
     linear(lambda x: F.im2col(x, 3, 1, 1), IMAGE)),
    ('array.repeat', 'RepeatGrad', ((2,), 1, (3, 4), X.dtype), (r(3, 8),), linear(lambda x: F.repeat(x, 2, 1), X)),
    ('array.resize_images', 'ResizeImagesGrad', (IMAGE.shape, (4, 7)), (r(2, 3, 4, 7),),
     linear(lambda x: F.resize_images(x, (4, 7)), IMAGE)),
    ('array.select_item', 'Assign', ((3, 4), X.dtype, np.array([1, 0, 3])), (r(3),),
     linear(lambda x: F.select_item(x, np.array([1, 0, 3])), X)),
    ('connection.bilinear', 'BilinearFunctionGrad', (), (r(2, 3), r(2, 4), r(3, 4, 5), r(2, 5)), both(F.bilinear)),
    ('connection.convolution_2d', 'Convolution2DGradW', (CONV,), (IMAGE, r(2, 4, 6, 3)),
     lambda x, gy: linear(lambda W: F.convolution_2d(x, W, stride=(1, 2), pad=1), np.zeros((4, 3, 3, 3)))(gy)),
    ('connection.convolution_nd', 'ConvolutionNDGradW', (CONV_ND,), (r(2, 3, 6), r(2, 4, 6)),
     lambda x, gy: linear(lambda W: F.convolution_nd(x, W, pad=1), np.zeros((4, 3, 3)))(gy)),
    ('connection.linear', 'LinearGradData', (), (r(5, 4), r(3, 5)), lambda W, gy: gy @ W),
    ('connection.linear', 'LinearGradWeight', (X.dtype,), (r(3, 4), r(3, 5)), lambda x, gy: gy.T @ x),
    ('loss.negative_sampling', 'NegativeSamplingFunctionGrad', ('no', np.array([True, False]), 2, SAMPLES, None),
     (r(2, 4), r(5, 4), r(2)), None),
    ('loss.sigmoid_cross_entropy', 'SigmoidCrossEntropyGrad', ('mean', 12, np.ones((3, 4), bool), (X > 0).astype('i')),
     (X, r()), lambda x, gy: linear(lambda v: F.sigmoid_cross_entropy(v, (X > 0).astype('i')), x)(gy)),
    ('math.basic_math', 'AbsoluteGrad', (X,), (G,), linear(F.absolute, X)),
    ('math.basic_math', 'MultiAdd', (), (X, Y, G), lambda x, y, z: x + y + z),
    ('math.basic_math', 'DivGrad', (), (X, p(3, 4), G), both(lambda a, b: a / b)),
    ('math.basic_math', 'DivFromConstantGrad', (2.5,), (p(3, 4), G), both(lambda x: 2.5 / x)),
    ('math.basic_math', 'PowVarVarGrad', (None,), (p(3, 4), p(3, 4), G), both(lambda a, b: a ** b)),
    ('math.basic_math', 'PowVarConstGrad', (2.5,), (p(3, 4), G), both(lambda x: x ** 2.5)),
    ('math.basic_math', 'PowConstVarGrad', (2.5,), (p(3, 4), G), lambda y, gy: np.log(2.5) * y * gy),
    ('math.batch_l2_norm_squared', 'BatchL2NormSquaredGrad', (), (X, r(3)), both(F.batch_l2_norm_squared)),
    ('math.clip', 'ClipGrad', (X, -0.5, 0.5), (G,), linear(lambda x: F.clip(x, -0.5, 0.5), X)),
    ('math.cumprod', 'Cumprodsum', (1,), (r(3, 3), X), None),
    ('math.einsum', 'DiagEinSum', ('ij,j', 'jiij', (4, 3, 3, 4)), (X, r(4)), None),
    ('math.linear_interpolate', 'LinearInterpolateGrad', (), (p(3, 4), X, Y, G), both(F.linear_interpolate)),
    ('math.matmul', 'BatchMatMulGrad', (True,), (r(2, 4, 3), r(2, 4, 2), r(2, 3, 2)),
     both(lambda a, b: F.matmul(a, b, transa=True))),
    ('math.maximum', 'MaximumGrad', (X, Y), (G,), lambda gy: both(F.maximum)(X, Y, gy)),
    ('math.minimum', 'MinimumGrad', (X, Y), (G,), lambda gy: both(F.minimum)(X, Y, gy)),
    ('math.sparse_matmul', 'CooMatMul', (ROW, COL, (3, 4), 'C', False, False, True), (r(4), r(4, 2)), None),
    ('math.sparse_matmul', 'CooMatMulGradSP', (ROW, COL, (3, 4), 'C', True), (r(2, 3), r(2, 4)),
     lambda a, b: (a.T @ b)[ROW, COL]),
    ('math.trigonometric', 'SinGrad', (), (X, G), both(F.sin)),
    ('math.trigonometric', 'Arctan2Grad', (), (X, Y, G), both(F.arctan2)),
    ('noise.dropout', 'DropoutGrad', ((X > 0) * 2.,), (G,), lambda gy: gy * (X > 0) * 2),
    ('normalization.l2_normalization', 'NormalizeL2', (1e-3,), (X,), lambda x: F.normalize(x, 1e-3)),
    ('normalization.l2_normalization', '_SetItemZero', (X > 0,), (X[X > 0],), lambda x: np.where(X > 0, X, 0)),
    ('pooling.average_pooling_2d', 'AveragePooling2DGrad', (node(**WINDOW, **IN),), (r(2, 3, 3, 2),),
     linear(lambda x: F.average_pooling_2d(x, (3, 2), 2, (1, 0)), IMAGE)),
    ('pooling.average_pooling_nd', 'AveragePoolingNDGrad', (node(**WINDOW_ND, **IN, pad_value=0),), (r(2, 3, 3, 2),),
     linear(lambda x: F.average_pooling_2d(x, (3, 2), 2, (1, 0)), IMAGE)),
    ('pooling.max_pooling_2d', 'MaxPooling2DGrad', (node(**WINDOW, **IN, cover_all=True, indexes=INDEXES),),
     (r(*POOLED.shape),), linear(lambda x: F.max_pooling_2d(x, (3, 2), 2, (1, 0)), IMAGE)),
    ('pooling.max_pooling_2d', 'MaxPooling2DGrad', (node(**WINDOW, **IN, cover_all=True, inputs=(node(data=IMAGE),)),),
     (r(*POOLED.shape),), linear(lambda x: F.max_pooling_2d(x, (3, 2), 2, (1, 0)), IMAGE)),
    ('pooling.max_pooling_nd', 'MaxPoolingNDWithIndexes', (node(**WINDOW_ND, cover_all=True, indexes=INDEXES),),
     (IMAGE,), lambda x: POOLED),
    ('pooling.unpooling_2d', 'Unpooling2DGrad', (node(kh=2, kw=3, sy=2, sx=2, ph=0, pw=0, cover_all=False),),
     (r(2, 3, 12, 11),), linear(lambda x: F.unpooling_2d(x, (2, 3), 2, 0, (12, 11), False), IMAGE)),
    ('pooling.upsampling_2d', 'Upsampling2DGrad', (node(**WINDOW, cover_all=True, indexes=INDEXES),), (IMAGE,),
     linear(lambda x: F.upsampling_2d(x, INDEXES, (3, 2), 2, (1, 0), (6, 5)), POOLED)),
    ('pooling.roi_pooling_2d', 'ROIPooling2DGrad',
     (1, 1, 1.0, (1, 1, 2, 2), np.array([3, -1]).reshape(2, 1, 1, 1)), (np.zeros((2, 5)), np.ones((2, 1, 1, 1))),
     lambda rois, gy: (np.array([[[[0, 0], [0, 1.]]]]), None)),
]


def arrays(ys):
    ys = ys if isinstance(ys, (tuple, list)) else (ys,)
    return [y.array if isinstance(y, chainer.Variable) else y for y in ys]


@pytest.mark.parametrize('module, name, arguments, inputs, expected', ROWS, ids=[row[1] for row in ROWS])
def test_values_and_gradients(module, name, arguments, inputs, expected):
    cls = getattr(importlib.import_module('chainer.functions.' + module), name)
    assert cls.__module__ == 'chainer.functions.' + module and cls.__name__ == name

    def call(*xs):
        return tuple([y for y in cls(*arguments).apply(xs) if y.array is not None])
    assert cls(*arguments).label == name
    found = arrays(cls(*arguments).apply(inputs))
    if expected is not None:
        for y, e in zip(found, arrays(expected(*inputs))):
            assert (y is None) == (e is None)
            if e is not None:
                np.testing.assert_allclose(y, e, rtol=1e-9, atol=1e-12)
    gys = tuple([r(*y.shape) for y in found if y is not None])
    no_grads = [name == 'ROIPooling2DGrad' and i == 0 for i in range(len(inputs))]
    gradient_check.check_backward(call, inputs, gys, no_grads=no_grads, dtype='d', atol=1e-5, rtol=1e-4)


def test_an_input_that_is_computed_from_another_one():
    from chainer.functions.math.basic_math import DivGrad
    x = chainer.Variable(p(3))
    y = F.exp(x)
    loss = F.sum(DivGrad().apply((x, y, np.ones(3)))[0])  # the sum of 1 / y
    loss.backward()
    np.testing.assert_allclose(x.grad, -np.exp(-x.array), rtol=1e-9)


def test_rows_of_words():
    from chainer.functions.connection.embed_id import EmbedIDGrad
    x, gy = np.array([1, -1, 1]), chainer.Variable(r(3, 4))
    gW, = EmbedIDGrad((5, 4), -1).apply((x, gy))
    assert np.allclose(gW.array[1], gy.array[0] + gy.array[2]) and not gW.array[[0, 2, 3, 4]].any()
    F.sum(gW).backward()
    assert gy.grad.tolist() == [[1] * 4, [0] * 4, [1] * 4]


def test_gradients_of_lstm():
    from chainer.functions.activation import lstm
    c, x, gc, gh = r(3, 2), r(2, 8), r(3, 2), r(2, 2)
    vs = [chainer.Variable(c), chainer.Variable(x)]
    ys = F.lstm(*vs)
    expected = chainer.grad(ys, vs, [chainer.Variable(gc), chainer.Variable(gh)])
    found = lstm.LSTMGrad()(c, x, ys[0].array, gc, gh)
    for y, e in zip(found, expected):
        np.testing.assert_allclose(y.array, e.array, rtol=1e-9)


@pytest.mark.parametrize('name, cells', [('lstm', 2), ('gru', 1)])
@pytest.mark.parametrize('bi', [False, True])
def test_steps_of_recurrent_networks(name, cells, bi):
    module = importlib.import_module('chainer.functions.connection.n_step_' + name)
    from chainer.functions.connection.n_step_rnn import n_step_rnn_impl
    n, ways = {'lstm': 8, 'gru': 6}[name], 2 if bi else 1
    ws = [[r(3, 3 if layer == 0 or k >= n // 2 else 3 * ways) for k in range(n)]
          for layer in range(2) for _ in range(ways)]
    bs = [[r(3) for _ in range(n)] for _ in range(2 * ways)]
    states, xs = [r(2 * ways, 2, 3) for _ in range(cells)], [r(2, 3), r(2, 3), r(1, 3)]
    with chainer.using_config('train', False):
        found = n_step_rnn_impl(getattr(module, '_' + name), 2, 0.5, states[0], states[1] if cells == 2 else None, ws,
                                bs, [chainer.Variable(x) for x in xs], bi)
        expected = getattr(module, 'n_step_%s_base' % name)(2, 0.5, *states, ws, bs, xs, bi)
    assert cells == 2 or found[1] is None
    for a, b in zip([found[0]] + list(found[2]), [expected[0]] + list(expected[-1])):
        np.testing.assert_allclose(a.array, b.array, rtol=1e-6, atol=1e-9)
    with pytest.raises(NotImplementedError):
        getattr(module, 'NStep' + name.upper())(1, None, None)(r(2, 2))


def test_mixed_precision():
    from chainer.utils.precision import _fp16_mixed_precision_helper

    class Function(object):
        @_fp16_mixed_precision_helper
        def forward(self, xs):
            self.seen = [x.dtype.char for x in xs]
            return tuple([x * 3 for x in xs])
    f = Function()
    assert [y.dtype.char for y in f.forward((np.ones(2, 'e'), np.ones(2, 'e')))] == ['e', 'e'] and f.seen == ['f', 'f']
    assert [y.dtype.char for y in f.forward((np.ones(2, 'e'), np.ones(2, 'f')))] == ['f', 'f']
    assert [y.dtype.char for y in f.forward((np.ones(2, 'd'),))] == ['d']
