# SPDX-License-Identifier: MIT
from chainer import optimizer
from chainer.optimizers import _hyperparameters

_default_hyperparam = optimizer.Hyperparameter()
_default_hyperparam.lr = 0.0001
_default_hyperparam.alpha = 0.95
_default_hyperparam.momentum = 0.9
_default_hyperparam.eps = 0.0001


@_hyperparameters.rule(_default_hyperparam)
class RMSpropGravesRule(optimizer.UpdateRule):
    """The update of one parameter."""

    _pass = 'rmsprop_graves'
    _pass_states = ('n', 'g', 'delta')


@_hyperparameters.method(RMSpropGravesRule, _default_hyperparam)
class RMSpropGraves(optimizer.GradientMethod):
    """Graves' RMSprop: arXiv:1308.0850."""
