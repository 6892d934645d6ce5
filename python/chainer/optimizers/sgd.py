# SPDX-License-Identifier: MIT
from chainer import optimizer
from chainer.optimizers import _hyperparameters

_default = optimizer.Hyperparameter()
_default.lr = 0.01


@_hyperparameters.rule(_default)
class SGDRule(optimizer.UpdateRule):
    """The update of one parameter."""

    _pass = 'sgd'
    _pass_states = ()


@_hyperparameters.method(SGDRule, _default)
class SGD(optimizer.GradientMethod):
    """Gradient descent."""
