# SPDX-License-Identifier: MIT
"""Variables and functions written in Python."""
import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import chainer
import chainer.functions as F


class Mul(chainer.FunctionNode):
    def forward(self, inputs):
        self.retain_inputs((0, 1))
        return inputs[0] * inputs[1],

    def backward(self, indexes, gys):
        a, b = self.get_retained_inputs()
        return gys[0] * b, gys[0] * a


class OldMul(chainer.Function):
    def forward(self, inputs):
        return inputs[0] * inputs[1],

    def backward(self, inputs, gys):
        return gys[0] * inputs[1], gys[0] * inputs[0]


def variables():
    return chainer.Variable(np.array([1, 2, 3], 'f')), chainer.Variable(np.array([4, 5, 6], 'f'))


def test_function_in_python_to_the_second_order():
    x, y = variables()
    z, = Mul().apply((x, y))
    F.sum(z * z).backward(enable_double_backprop=True)
    assert np.allclose(x.grad, 2 * x.array * y.array ** 2)
    gx = x.grad_var
    x.cleargrad()
    F.sum(gx).backward()
    assert np.allclose(x.grad, 2 * y.array ** 2)


def test_old_style_function():
    x, y = variables()
    f = OldMul()
    z = f(x, y)
    assert z.creator is f
    F.sum(z).backward()
    assert np.array_equal(x.grad, y.array)
    with pytest.raises(RuntimeError, match='old style'):
        x.cleargrad()
        F.sum(OldMul()(x, y) * x).backward(enable_double_backprop=True)
        x.grad_var.grad = np.ones(3, 'f')
        x.grad_var.backward()


def test_error_of_python_comes_out_as_itself():
    class Bad(Mul):
        def backward(self, indexes, gys):
            raise KeyError('mine')
    x, y = variables()
    with pytest.raises(KeyError, match='mine'):
        F.sum(Bad().apply((x, y))[0]).backward()


def test_function_goes_with_its_graph():
    x, y = variables()
    f = Mul()
    r = weakref.ref(f)
    z, = f.apply((x, y))
    del f
    gc.collect()
    assert r() is not None and z.creator is r()
    del z
    assert r() is None


def test_identity():
    x, y = variables()
    z, = Mul().apply((x, y))
    assert z.creator.inputs[0] is x.node and x.node.get_variable() is x
    g = chainer.Variable(np.ones(3, 'f'))
    x.grad_var = g
    assert x.grad_var is g


def test_operators():
    x, _ = variables()
    a = x.array
    for f in (lambda v: v + 1, lambda v: 1 - v, lambda v: v * 2.5, lambda v: 2 / v, lambda v: v ** 2, lambda v: 2 ** v,
              lambda v: -v, abs, lambda v: np.float32(2) * v, lambda v: v // 2, lambda v: a + v, lambda v: v @ v):
        y = f(x)
        assert isinstance(y, chainer.Variable) and np.allclose(y.array, f(a))
    for f in (lambda: x == x, lambda: x < x, lambda: bool(x)):
        with pytest.raises(NotImplementedError):
            f()
    with pytest.raises(TypeError):
        hash(x)


def test_subclass():
    class Mine(chainer.Variable):
        def __init__(self, array):
            super(Mine, self).__init__(array)
            self.extra = 3
    v = Mine(np.ones(2, 'f'))
    assert v.extra == 3 and isinstance(v * 2, chainer.Variable)
    r = weakref.ref(v)
    del v
    gc.collect()
    assert r() is None


def test_modes():
    x, _ = variables()
    with chainer.no_backprop_mode():
        assert (x + 1).creator is None
        with chainer.force_backprop_mode():
            assert (x + 1).creator is not None
    assert (x + 1).creator is not None


def test_hooks():
    seen = []

    class Hook(chainer.FunctionHook):
        def forward_postprocess(self, function, in_data):
            seen.append((function.label, len(in_data)))

        def backward_preprocess(self, function, in_data, out_grad):
            seen.append(('backward', function.label))
    x, y = variables()
    with Hook():
        F.sum(Mul().apply((x, y))[0]).backward()
    assert seen[0] == ('Mul', 2) and ('backward', 'Mul') in seen
    count = len(seen)
    F.relu(x)
    assert len(seen) == count


def test_parameters_are_copied_and_pickled():
    p = chainer.Parameter(chainer.initializers.One(), (2,), name='p')
    p.grad[...] = 2
    for q in (copy.deepcopy(p), pickle.loads(pickle.dumps(p))):
        assert q.name == 'p' and np.array_equal(q.array, p.array) and np.array_equal(q.grad, p.grad)
        assert q.array is not p.array


def test_training_lowers_the_loss():
    import chainer.links as L
    rng = np.random.RandomState(0)
    x, t = rng.rand(64, 10).astype('f'), rng.randint(0, 3, 64).astype('i')
    for name in ('AdaDelta', 'AdaGrad', 'Adam', 'CorrectedMomentumSGD', 'MomentumSGD', 'MSVAG', 'NesterovAG', 'RMSprop',
                 'RMSpropGraves', 'SGD', 'SMORMS3'):
        np.random.seed(0)
        model = L.Classifier(chainer.Sequential(L.Linear(10, 20), F.relu, L.Linear(20, 3)))
        optimizer = getattr(chainer.optimizers, name)().setup(model)
        first = float(model(x, t).array)
        for _ in range(30):
            optimizer.update(model, x, t)
        assert float(model(x, t).array) < first, name
