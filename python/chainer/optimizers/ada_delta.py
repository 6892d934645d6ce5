# SPDX-License-Identifier: MIT
from chainer import optimizer
from chainer.optimizers import _hyperparameters

_default = optimizer.Hyperparameter()
_default.rho = 0.95
_default.eps = 1e-06


@_hyperparameters.rule(_default)
class AdaDeltaRule(optimizer.UpdateRule):
    """The update of one parameter."""

    _pass = 'ada_delta'
    _pass_states = ('msg', 'msdx')


@_hyperparameters.method(AdaDeltaRule, _default)
class AdaDelta(optimizer.GradientMethod):
    """Zeiler, arXiv:1212.5701."""
