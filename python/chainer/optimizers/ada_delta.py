# SPDX-License-Identifier: MIT
from chainer import optimizer
from chainer.optimizers import _hyperparameters

_default_hyperparam = optimizer.Hyperparameter()
_default_hyperparam.rho = 0.95
_default_hyperparam.eps = 1e-06


@_hyperparameters.rule(_default_hyperparam)
class AdaDeltaRule(optimizer.UpdateRule):
    """The update of one parameter."""

    _pass = 'ada_delta'
    _pass_states = ('msg', 'msdx')


@_hyperparameters.method(AdaDeltaRule, _default_hyperparam)
class AdaDelta(optimizer.GradientMethod):
    """Zeiler, arXiv:1212.5701."""
