# SPDX-License-Identifier: MIT
from chainer import optimizer
from chainer.optimizers import _hyperparameters

_default_hyperparam = optimizer.Hyperparameter()
_default_hyperparam.lr = 0.01
_default_hyperparam.momentum = 0.9


@_hyperparameters.rule(_default_hyperparam)
class CorrectedMomentumSGDRule(optimizer.UpdateRule):
    """The update of one parameter."""

    _pass = 'corrected_momentum_sgd'
    _pass_states = ('v',)


@_hyperparameters.method(CorrectedMomentumSGDRule, _default_hyperparam)
class CorrectedMomentumSGD(optimizer.GradientMethod):
    """Momentum whose velocity does not depend on the learning rate: Goyal et al., arXiv:1706.02677."""
