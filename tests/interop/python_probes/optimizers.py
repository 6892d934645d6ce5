# SPDX-License-Identifier: MIT
"""Optimizers: random options, hooks, steps, states and files."""
import io

import numpy

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import optimizer_hooks, optimizers


class _Model(chainer.Chain):
    def __init__(self, dtype, r):
        super(_Model, self).__init__()
        with self.init_scope():
            self.a = chainer.Parameter(r.array((2, 3), dtype))
            self.b = chainer.Parameter(r.array((), dtype))
            self.late = chainer.Parameter(chainer.initializers.Constant(0.5, dtype=dtype))


def _make(r):
    kind = r.one('AdaDelta', 'AdaGrad', 'Adam', 'CorrectedMomentumSGD', 'MomentumSGD', 'NesterovAG', 'RMSprop',
                 'RMSpropGraves', 'SGD', 'SMORMS3', 'MSVAG')
    options = {}
    for name, values in {'lr': (0.1, 0.01), 'alpha': (0.01, 0.9), 'eps': (1e-8, 1e-3), 'rho': (0.9, 0.5),
                         'momentum': (0.5, 0.9), 'beta1': (0.9, 0.5), 'eta': (1.0, 0.5), 'amsgrad': (True, False),
                         'weight_decay_rate': (0, 0.1), 'eps_inside_sqrt': (True, False)}.items():
        if r.chance(0.4):
            options[name] = r.one(*values)
    try:
        return getattr(optimizers, kind)(**options)
    except TypeError:
        return getattr(optimizers, kind)()


def _hook(r):
    return r.one(lambda: optimizer_hooks.WeightDecay(0.1), lambda: optimizer_hooks.Lasso(0.05),
                 lambda: optimizer_hooks.GradientClipping(r.one(0.5, 10)),
                 lambda: optimizer_hooks.GradientHardClipping(-0.3, 0.4),
                 lambda: optimizer_hooks.GradientNoise(0.1), lambda: optimizer_hooks.GradientLARS())()


def steps(r, see):
    dtype = r.dtype()
    opt = _make(r)
    model = _Model(dtype, r)
    if r.chance(0.3):
        opt.use_fp32_update()
    see(type(opt).__name__, opt.setup(model) is opt)
    for _ in range(r.int(0, 2)):
        hook = _hook(r)
        see.attempt(opt.add_hook, hook, *([hook.name] if r.chance(0.3) else []),
                    **({'timing': r.one('pre', 'post', 'auto', 'never')} if r.chance(0.4) else {}))
    if r.chance(0.3):
        see.attempt(model.a.update_rule.add_hook, _hook(r))
    if r.chance(0.2):
        see.attempt(opt.remove_hook, r.one('WeightDecay', 'none'))
    if r.chance(0.2):
        model.a.update_rule.enabled = False
    for k in range(r.int(1, 4)):
        if k == 1:
            model.late.initialize((2,))
        for p in model.params():
            if p.array is not None:
                p.grad = r.array(p.shape, dtype) if r.chance(0.9) else None
        try:
            opt.update()
        except Exception as e:
            see(e)
            break
        for _, p in sorted(model.namedparams()):
            see(p.array, p.grad)
    see(opt.t, opt.epoch, getattr(opt, 'lr', None))
    for _, p in sorted(model.namedparams()):
        see(p.update_rule.state, p.update_rule.t)
    f = io.BytesIO()
    if see.attempt(chainer.serializers.save_npz, f, opt) is None and f.tell():
        f.seek(0)
        with numpy.load(f, allow_pickle=True) as z:
            see({k: z[k] for k in z.files})
        f.seek(0)
        again = type(opt)()
        again.setup(_Model(dtype, r))
        see.attempt(chainer.serializers.load_npz, f, again, strict=r.chance(0.5))
        see(again.t)
        for _, p in sorted(again.target.namedparams()):
            see(p.update_rule.state)


def with_loss(r, see):
    model = L.Linear(3, 2, initialW=r.array((2, 3)))
    opt = _make(r).setup(model)
    see(type(opt).__name__)
    if r.chance(0.3):
        opt.loss_scaling(*([] if r.chance(0.5) else [10, r.one(2., 16., 0.)]))
    if r.chance(0.2):
        opt.use_cleargrads(r.chance(0.5))
    x = r.array((2, 3))
    for _ in range(r.int(1, 3)):
        opt.update(lambda y: F.sum(model(y) ** 2), x)
        see(model.W.array, model.W.grad)
    see.attempt(opt.new_epoch, *([True] if r.chance(0.3) else []))
    see(opt.epoch, opt.t)


def rules(r, see):
    """A rule of one's own, hyperparameters and their parents."""
    class Rule(chainer.UpdateRule):
        def init_state(self, param):
            self.state['s'] = numpy.zeros_like(param.array)

        def update_core_cpu(self, param):
            self.state['s'] += param.grad
            param.array -= self.hyperparam.lr * self.state['s']
    parent = chainer.optimizer.Hyperparameter()
    parent.lr = r.number()
    rule = Rule(parent)
    p = chainer.Parameter(r.array((2,)))
    p.update_rule = rule
    if r.chance(0.5):
        rule.hyperparam.lr = 0.25
    see(repr(rule.hyperparam), rule.hyperparam.get_dict(), rule.hyperparam.parent is parent)
    called = []
    for _ in range(r.int(0, 2)):
        see.attempt(rule.add_hook, r.one(lambda u, q: called.append(1), 'no'), r.one('h', 'h', 'g', None))
    for _ in range(2):
        p.grad = r.array((2,), r.one('f', 'f', 'd'))
        p.update()
    see(p.array, rule.state, rule.t, called)
    see.attempt(rule.remove_hook, 'h')
    see.attempt(chainer.UpdateRule().update, p)
    see.attempt(chainer.GradientMethod().create_update_rule)
    see.attempt(chainer.Optimizer().update)
    see.attempt(optimizers.SGD().setup, r.one(p, None, L.Linear(2)))
