# SPDX-License-Identifier: MIT
from chainer import optimizer
from chainer.optimizers import _hyperparameters

_default_hyperparam = optimizer.Hyperparameter()
_default_hyperparam.lr = 0.01
_default_hyperparam.momentum = 0.9


@_hyperparameters.rule(_default_hyperparam)
class MomentumSGDRule(optimizer.UpdateRule):
    """The update of one parameter."""

    _pass = 'momentum_sgd'
    _pass_states = ('v',)


@_hyperparameters.method(MomentumSGDRule, _default_hyperparam)
class MomentumSGD(optimizer.GradientMethod):
    """SGD with momentum."""
