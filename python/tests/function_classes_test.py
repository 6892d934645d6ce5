# SPDX-License-Identifier: MIT
"""The classes of functions: their constructors, what they retain, and subclasses of them."""
import importlib

import numpy as np
import pytest

import chainer
import chainer.functions as F
from chainer import Variable

LABELS = np.array([0, 1], 'i')


def rand(*shape):
    return Variable(np.random.RandomState(sum(shape)).uniform(0.2, 0.9, shape).astype('f'))


def made(name, *arguments):
    module, _, last = ('chainer.functions.' + name).rpartition('.')
    return getattr(importlib.import_module(module), last)(*arguments)


A, B, PICTURES = rand(2, 3).array, rand(3, 3).array[:2], rand(1, 2, 5, 5).array
LENGTHS, WORDS = np.array([2, 2], 'i'), np.array([[1], [2]], 'i')
# Class, arguments of its constructor, inputs, value.
CONSTRUCTED = [
    ('pooling.average_pooling_2d.AveragePooling2D', (2, 2, 0, False), (PICTURES,),
     lambda x: F.average_pooling_2d(x, 2)),
    ('pooling.average_pooling_2d.AveragePooling2D', (2, 2), (PICTURES,),
     lambda x: F.average_pooling_2d(F.pad(x, ((0, 0), (0, 0), (0, 1), (0, 1)), 'constant'), 2)),
    ('pooling.average_pooling_nd.AveragePoolingND', (2, 2, 2, 0, True), (PICTURES,),
     lambda x: F.average_pooling_2d(F.pad(x, ((0, 0), (0, 0), (0, 1), (0, 1)), 'constant'), 2)),
    ('pooling.average_pooling_nd.AveragePoolingND', (2, 4, 4, 0, True, None), (PICTURES[:, :, :4, 2:],),
     lambda x: F.average(x, (2, 3), keepdims=True)),
    ('pooling.average_pooling_nd.AveragePoolingND', (2, 2, 2, 1, False, None), (PICTURES,),
     lambda x: F.average_pooling_nd(x, 2, 2, 1, None)),
    ('array.concat.Concat', (0,), (A, B), lambda *xs: F.concat(xs, 0)),
    ('array.concat.Concat', (), (A, B), lambda *xs: F.concat(xs)),
    ('array.stack.Stack', (1,), (A, B), lambda *xs: F.stack(xs, 1)),
    ('array.hstack.Hstack', (), (A, B), lambda *xs: F.hstack(xs)),
    ('array.vstack.Vstack', (), (A, B), lambda *xs: F.vstack(xs)),
    ('array.dstack.Dstack', (), (A, B), lambda *xs: F.dstack(xs)),
    ('array.pad_sequence.PadSequence', (4, -1), (A, B[:1]), lambda *xs: F.pad_sequence(xs, 4, -1)),
    ('array.transpose_sequence.TransposeSequence', ([2, 1],), (A, B[:1]), lambda *xs: F.transpose_sequence(xs)),
    ('array.split_axis.SplitAxis', ([1], 1), (A,), lambda x: F.split_axis(x, [1], 1)),
    ('array.split_axis.SplitAxis', (3, 1), (A,), lambda x: F.split_axis(x, 3, 1)),
    ('array.scatter_add.ScatterAdd', (0,), (A, B[0]), lambda a, b: F.scatter_add(a, 0, b)),
    ('array.where.Where', (A > .5,), (A, B), lambda a, b: F.where(A > .5, a, b)),
    ('math.fft.FFT', ('ifft',), (A, B), lambda *xs: F.ifft(xs)),
    ('math.einsum.EinSum', ('ij,kj', 'ki'), (A, B), lambda a, b: F.einsum('ij,kj->ki', a, b)),
    ('math.tensordot.TensorDot', (([1], [1]),), (A, B), lambda a, b: F.tensordot(a, b, ([1], [1]))),
    ('math.matmul.MatMul', (False, True, True), (A, B[:1]), lambda a, b: F.transpose(F.matmul(a, b, transb=True))),
    ('math.matmul.MatMul', (True,), (A, B), lambda a, b: F.matmul(a, b, True)),
    ('loss.ctc.ConnectionistTemporalClassification', (0, 'no'), (LENGTHS, LENGTHS - 1, WORDS, A, B),
     lambda i, l, t, *xs: F.connectionist_temporal_classification(xs, t, 0, i.array, l.array, 'no')),
]


@pytest.mark.parametrize('name, arguments, inputs, value', CONSTRUCTED,
                         ids=[row[0].rpartition('.')[2] for row in CONSTRUCTED])
def test_constructors_of_the_release(name, arguments, inputs, value):
    function, found = made(name, *arguments), []
    for call in (lambda *xs: function(*xs) if isinstance(function, chainer.Function) else function.apply(xs), value):
        xs = [chainer.Variable(x) for x in inputs]
        ys = call(*xs)
        ys = ys if isinstance(ys, (tuple, list)) else (ys,)
        sum([F.sum(y * y) for y in ys]).backward()
        found.append([y.array for y in ys] + [x.grad for x in xs if x.dtype.kind == 'f'])
    assert len(found[0]) == len(found[1])
    for a, b in zip(*found):
        np.testing.assert_allclose(a, b, rtol=1e-5)


def test_attributes_and_errors_of_constructors():
    module = importlib.import_module('chainer.functions.pooling.average_pooling_2d')
    f = module.AveragePooling2D(3, (1, 2))
    assert (f.kh, f.kw, f.sy, f.sx, f.ph, f.pw, f.cover_all) == (3, 3, 1, 2, 0, 0, True)
    f = importlib.import_module('chainer.functions.array.split_axis').SplitAxis([1], 0)
    assert (f.indices, f.sections, f.axis) == ([1], None, 0)
    with pytest.raises(TypeError, match='SplitAxis'):
        type(f)(1)


@pytest.mark.parametrize('name, inputs, value, kept', [
    ('activation.relu.ReLU', (A - .5,), F.relu, 'y'), ('activation.sigmoid.Sigmoid', (A,), F.sigmoid, 'y'),
    ('activation.tanh.Tanh', (A,), F.tanh, 'y'), ('math.exponential.Exp', (A,), F.exp, 'y'),
    ('math.sqrt.Sqrt', (A,), F.sqrt, 'y'), ('activation.softmax.Softmax', (A,), F.softmax, 'xy'),
    ('connection.linear.LinearFunction', (A, B, A[:, 0]), F.linear, 'xx'),
    ('connection.convolution_2d.Convolution2DFunction', (PICTURES, PICTURES[:, :, :3, :3], A[0, :1]),
     F.convolution_2d, 'xx'),
    ('connection.deconvolution_2d.Deconvolution2DFunction', (PICTURES[:, :1], PICTURES[:, :, :3, :3], A[0, :2]),
     F.deconvolution_2d, 'xx'),
    ('normalization.batch_normalization.BatchNormalization', (A, A[0], A[1]), F.batch_normalization, 'xx')])
def test_what_classes_retain(name, inputs, value, kept):
    function, found = made(name), []
    for call in (lambda *xs: function.apply(xs)[0], value):
        xs = [Variable(x) for x in inputs]
        y = call(*xs)
        if call is not value:
            assert [x.shape for x in function.get_retained_inputs()] == [x.shape for x in inputs[:kept.count('x')]]
            assert [z is y or np.array_equal(z.array, y.array) for z in function.get_retained_outputs()] == \
                [True] * kept.count('y')
        gxs = chainer.grad([F.sum(y * y * y)], xs, enable_double_backprop=True)
        sum([F.sum(g * g) for g in gxs]).backward()
        found.append([g.array for g in gxs] + [np.zeros(1) if x.grad is None else x.grad for x in xs])
    for a, b in zip(*found):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def derived(name, *arguments, **methods):
    return type('Derived', (type(made(name, *arguments)),), methods)(*arguments)


def test_methods_of_subclasses():
    relu, x = 'activation.relu.ReLU', A - .5
    for name, inputs in ((relu, (x,)), ('activation.sigmoid.Sigmoid', (x,)), ('math.basic_math.Add', (A, B)),
                         ('connection.convolution_2d.Convolution2DFunction', (PICTURES, PICTURES[:, :, :3, :3]))):
        function = derived(name, forward_cpu=lambda self, inputs: (inputs[0] * 0 + 7,))
        assert (function.apply(inputs)[0].array == 7).all()
    assert made(relu).forward_cpu((x,))[0].tolist() == np.maximum(x, 0).tolist()
    add = type(made('math.basic_math.Add'))
    function = derived('math.basic_math.Add', forward_cpu=lambda self, inputs: (add.forward_cpu(self, inputs)[0] + 1,))
    assert function.apply((A, B))[0].array.tolist() == (A + B + 1).tolist()
    loss = derived('loss.softmax_cross_entropy.SoftmaxCrossEntropy', forward_cpu=lambda self, xs: (np.array(7, 'f'),),
                   backward_cpu=lambda self, xs, gys: (xs[0] * 0 + 5, None))
    v = Variable(x)
    y = loss(v, LABELS)
    y.backward()
    assert y.array == 7 and (v.grad == 5).all()


def test_guided_backpropagation():
    def backward(self, indexes, gys):
        y, = self.get_retained_outputs()
        return gys[0] * (y.array > 0) * (gys[0].array > 0),
    x = Variable(np.array([-1, 1, 2], 'f'))
    y, = derived('activation.relu.ReLU', backward=backward).apply((x,))
    y.grad = np.array([1, -1, 3], 'f')
    y.backward()
    assert x.grad.tolist() == [0, 0, 3]
    # What forward of a subclass does not retain is missed.
    f = derived('activation.relu.ReLU', forward_cpu=lambda self, inputs: (inputs[0] * 1,))
    with pytest.raises(RuntimeError, match='retain'):
        F.sum(f.apply((x,))[0]).backward()
