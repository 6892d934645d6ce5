# SPDX-License-Identifier: MIT
from chainer import optimizer
from chainer.optimizers import _hyperparameters

_default = optimizer.Hyperparameter()
_default.lr = 0.001
_default.eps = 1e-08


@_hyperparameters.rule(_default)
class AdaGradRule(optimizer.UpdateRule):
    """The update of one parameter."""

    _pass = 'ada_grad'
    _pass_states = ('h',)


@_hyperparameters.method(AdaGradRule, _default)
class AdaGrad(optimizer.GradientMethod):
    """Duchi et al., JMLR 12, 2011."""
