# SPDX-License-Identifier: MIT
from chainer import optimizer
from chainer.optimizers import _hyperparameters

_default = optimizer.Hyperparameter()
_default.lr = 0.01
_default.momentum = 0.9


@_hyperparameters.rule(_default)
class MomentumSGDRule(optimizer.UpdateRule):
    """The update of one parameter."""

    _pass = 'momentum_sgd'
    _pass_states = ('v',)


@_hyperparameters.method(MomentumSGDRule, _default)
class MomentumSGD(optimizer.GradientMethod):
    """SGD with momentum."""
