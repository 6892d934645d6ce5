# SPDX-License-Identifier: MIT
from chainer import optimizer
from chainer.optimizers import _hyperparameters

_default = optimizer.Hyperparameter()
_default.lr = 0.0001
_default.alpha = 0.95
_default.momentum = 0.9
_default.eps = 0.0001


@_hyperparameters.rule(_default)
class RMSpropGravesRule(optimizer.UpdateRule):
    """The update of one parameter."""

    _pass = 'rmsprop_graves'
    _pass_states = ('n', 'g', 'delta')


@_hyperparameters.method(RMSpropGravesRule, _default)
class RMSpropGraves(optimizer.GradientMethod):
    """Graves' RMSprop: arXiv:1308.0850."""
