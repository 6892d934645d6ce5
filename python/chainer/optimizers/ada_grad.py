# SPDX-License-Identifier: MIT
from chainer import optimizer
from chainer.optimizers import _hyperparameters

_default_hyperparam = optimizer.Hyperparameter()
_default_hyperparam.lr = 0.001
_default_hyperparam.eps = 1e-08


@_hyperparameters.rule(_default_hyperparam)
class AdaGradRule(optimizer.UpdateRule):
    """The update of one parameter."""

    _pass = 'ada_grad'
    _pass_states = ('h',)


@_hyperparameters.method(AdaGradRule, _default_hyperparam)
class AdaGrad(optimizer.GradientMethod):
    """Duchi et al., JMLR 12, 2011."""
