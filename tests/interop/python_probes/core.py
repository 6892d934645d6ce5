# SPDX-License-Identifier: MIT
"""Variables, functions written in Python, graphs."""
import numpy

import chainer
import chainer.functions as F
from chainer import gradient_check


def variables(r, see):
    dtype = r.one('f', 'f', 'd', 'e', 'i')
    a = r.array(r.shape(0, 3), dtype)
    v = chainer.Variable(a, **r.one({}, {'name': 'n'}, {'requires_grad': False}, {'grad': numpy.ones_like(a)}))
    see(v, v.name, v.label, v.rank, v.ndim, v.size, v.dtype, v.shape, v.requires_grad, v.grad, repr(v), str(v))
    see.attempt(len, v)
    see.attempt(v.reshape, *r.one((-1,), ((-1,),), (1, -1), (7,)))
    see.attempt(v.transpose, *r.one((), (None,), tuple(range(a.ndim))[::-1], (tuple(range(a.ndim))[::-1],), (5,)))
    see.attempt(v.__getitem__, r.one(0, -1, slice(None), Ellipsis, None, (0, 0), [0], 9, numpy.array([0]), 1.5, 'x'))
    see.attempt(v.__setattr__, 'grad', r.one(None, numpy.ones_like(a), numpy.ones(9, 'f'), a.astype('d'), 1, 'x'))
    see(v.grad)
    see.attempt(v.backward)
    see.attempt(v.cleargrad)
    see.attempt(bool, v)
    see.attempt(lambda: v == v)
    see.attempt(lambda: v < 1)
    see.attempt(hash, v)
    see.attempt(lambda: v.unchain())
    w = chainer.Variable(r.array(a.shape, r.one(dtype, 'f')) if r.chance(0.7) else None)
    see.attempt(v.copydata, w)
    w.array is not None and see.attempt(w.__setattr__, 'grad', numpy.ones_like(w.array))
    see.attempt(v.addgrad, w)
    see(v, v.grad)
    see.attempt(chainer.Variable, r.one(1, [1.], 'x', None, numpy.array('x'), numpy.array([1j])))
    see.attempt(chainer.as_variable, r.one(a, v))


def operators(r, see):
    x = chainer.Variable(r.array(r.one((2, 3), (3,), ()), r.dtype(), 0.5, 2.))
    y = r.one(lambda: chainer.Variable(r.array(r.one((2, 3), (3,), (), (4,)), r.one(x.dtype, 'd'), 0.5, 2.)),
              lambda: r.array(x.shape, r.one('f', 'd', 'i'), 1, 2), lambda: r.one(2, 1.5, True, numpy.float64(2)),
              lambda: r.one('x', None, [1, 2]))()
    op = r.one(lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / b, lambda a, b: a ** b,
               lambda a, b: a // b, lambda a, b: a @ b, lambda a, b: b - a, lambda a, b: b / a, lambda a, b: b ** a,
               lambda a, b: b // a, lambda a, b: abs(-a))
    z = see.attempt(op, x, y)
    if isinstance(z, chainer.Variable) and z.dtype.kind == 'f' and z.requires_grad:
        F.sum(z * z).backward()
        see(x.grad, getattr(y, 'grad', None))


class _Scaled(chainer.FunctionNode):
    def __init__(self, k, mistake):
        self.k, self.mistake = k, mistake

    def check_type_forward(self, in_types):
        chainer.utils.type_check.expect(in_types.size() == 2, in_types[0].shape == in_types[1].shape)

    def forward(self, inputs):
        self.retain_inputs((0, 1))
        self.retain_outputs((0,))
        x, y = inputs
        if self.mistake == 'list':
            return [x * y]
        if self.mistake == 'scalar':
            return 1.,
        return x * y * x.dtype.type(self.k), x + y

    def backward(self, indexes, gs):
        x, y = self.get_retained_inputs()
        if self.mistake == 'shape':
            return x[:1], None
        if self.mistake == 'count':
            return x,
        out = []
        for i, other in ((0, y), (1, x)):
            if i in indexes:
                g = 0
                if gs[0] is not None:
                    g = gs[0] * other * self.k
                if gs[1] is not None:
                    g = g + gs[1]
                out.append(g)
            else:
                out.append(None)
        return tuple(out)


def functions_in_python(r, see):
    x, y = chainer.Variable(r.array((2,))), chainer.Variable(r.array(r.one((2,), (2,), (2,), (3,))))
    f = _Scaled(r.one(2, 0.5), r.one('', '', '', '', 'list', 'scalar', 'shape', 'count'))
    with chainer.using_config('debug', r.chance(0.2)):
        outs = see.attempt(f.apply, r.one((x, y), (x, y.array), (x, y), (x,)))
        if not outs:
            return
        see(f.rank, f.label, [o.rank for o in outs], f.output_data, len(f.inputs))
        if r.chance(0.3):
            outs = outs[r.int(0, 1)],
        loss = sum([F.sum(o ** 2) for o in outs])
        see.attempt(lambda: loss.backward(retain_grad=r.chance(0.3), enable_double_backprop=r.chance(0.5)))
        see(x.grad, y.grad, [o.grad for o in outs])
        see.attempt(lambda: chainer.grad([loss], [x, y], enable_double_backprop=True))
        see.attempt(f.apply, (x, y))


class _Old(chainer.Function):
    def forward(self, inputs):
        self.retain_inputs((0,))
        return inputs[0] ** 2,

    def backward(self, inputs, gs):
        return 2 * inputs[0] * gs[0],


def old_functions(r, see):
    x = chainer.Variable(r.array((2,)))
    f = _Old()
    y = f(x)
    see(y, f.label, f.rank, f.node is y.creator_node, y.creator is f)
    F.sum(y).backward()
    see(x.grad)
    see.attempt(f, x, x)


def gradients(r, see):
    x, w = chainer.Variable(r.array((2, 3))), chainer.Variable(r.array((3,)))
    h = F.tanh(x * F.broadcast_to(w, (2, 3)))
    y = r.one(h, F.sum(h), h + x)
    gy = r.one(None, [None], [chainer.Variable(numpy.ones(y.shape, 'f'))], [numpy.ones(3, 'f')])
    grads = see.attempt(lambda: chainer.grad([y], r.one([x], [x, w], [w, h], x), gy, set_grad=r.chance(0.3),
                                             retain_grad=r.chance(0.3), enable_double_backprop=r.chance(0.7)))
    see(x.grad, w.grad)
    if grads and grads[0] is not None:
        see.attempt(lambda: F.sum(grads[0] ** 2).backward())
        see(x.grad, w.grad)
    see.attempt(y.unchain_backward)
    see(y.creator is None, h.rank)


def checks(r, see):
    x, w = r.array((2, 2), 'd'), r.array((2, 2), 'd')
    good = r.chance(0.6)

    def f(a, b):
        return F.sin(a) * b if good else F.sin(chainer.Variable(a.array)) * b
    options = r.one({}, {'atol': 1e-3, 'rtol': 1e-3}, {'eps': 1e-2}, {'no_grads': [True, False]}, {'dtype': 'f'})
    see.attempt(gradient_check.check_backward, f, (x, w), r.array((2, 2), 'd'), **options)
    see.attempt(gradient_check.check_double_backward, f, (x, w), r.array((2, 2), 'd'),
                (r.array((2, 2), 'd'), r.array((2, 2), 'd')))
    see.attempt(gradient_check.numerical_grad, lambda: (x ** 2,), (x,), (numpy.ones((2, 2)),), r.one(1e-3, 1e-2))


def hooks(r, see):
    x = chainer.Variable(r.array((2,)))
    timer = chainer.function_hooks.TimerHook()
    with timer:
        y = F.sum(F.relu(x) * 2)
        y.backward()
    see([name for name, _ in timer.call_history], sorted(timer.summary()))

    class Mine(chainer.FunctionHook):
        def __init__(self):
            self.calls = []

        def forward_preprocess(self, function, in_data):
            self.calls.append(('pre', function.label, len(in_data)))

        def backward_postprocess(self, function, in_data, out_grad):
            self.calls.append(('post', function.label, [g is None for g in out_grad]))
    mine = Mine()
    with mine:
        see.attempt(mine.__enter__)
        F.sum(F.exp(x) + x).backward()
    see(mine.calls)
