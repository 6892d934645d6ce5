# SPDX-License-Identifier: MIT
from chainer import optimizer
from chainer.optimizers import _hyperparameters

_default_hyperparam = optimizer.Hyperparameter()
_default_hyperparam.lr = 0.01
_default_hyperparam.alpha = 0.99
_default_hyperparam.eps = 1e-08
_default_hyperparam.eps_inside_sqrt = False


@_hyperparameters.rule(_default_hyperparam)
class RMSpropRule(optimizer.UpdateRule):
    """The update of one parameter."""

    _pass_states = ('ms',)

    @property
    def _pass(self):
        return 'rmsprop_inside' if self._values.eps_inside_sqrt else 'rmsprop'

    def _pass_values(self, param):
        h = self._values
        optimizer.check_eps(h.eps, param, 'RMSprop')
        return [h.lr, h.alpha, h.eps]


@_hyperparameters.method(RMSpropRule, _default_hyperparam)
class RMSprop(optimizer.GradientMethod):
    """Tieleman and Hinton's RMSprop."""
