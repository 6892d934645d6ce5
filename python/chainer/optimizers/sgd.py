# SPDX-License-Identifier: MIT
from chainer import optimizer
from chainer.optimizers import _hyperparameters

_default_hyperparam = optimizer.Hyperparameter()
_default_hyperparam.lr = 0.01


@_hyperparameters.rule(_default_hyperparam)
class SGDRule(optimizer.UpdateRule):
    """The update of one parameter."""

    _pass = 'sgd'
    _pass_states = ()


@_hyperparameters.method(SGDRule, _default_hyperparam)
class SGD(optimizer.GradientMethod):
    """Gradient descent."""
