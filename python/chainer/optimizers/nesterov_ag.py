# SPDX-License-Identifier: MIT
from chainer import optimizer
from chainer.optimizers import _hyperparameters

_default_hyperparam = optimizer.Hyperparameter()
_default_hyperparam.lr = 0.01
_default_hyperparam.momentum = 0.9


@_hyperparameters.rule(_default_hyperparam)
class NesterovAGRule(optimizer.UpdateRule):
    """The update of one parameter."""

    _pass = 'nesterov_ag'
    _pass_states = ('v',)


@_hyperparameters.method(NesterovAGRule, _default_hyperparam)
class NesterovAG(optimizer.GradientMethod):
    """Nesterov's accelerated gradient: arXiv:1212.0901."""
