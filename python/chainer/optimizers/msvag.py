# SPDX-License-Identifier: MIT
from chainer import optimizer
from chainer.optimizers import _hyperparameters

_default_hyperparam = optimizer.Hyperparameter()
_default_hyperparam.lr = 0.1
_default_hyperparam.beta = 0.9
_default_hyperparam.eta = 1.0
_default_hyperparam.weight_decay_rate = 0


@_hyperparameters.rule(_default_hyperparam)
class MSVAGRule(optimizer.UpdateRule):
    """The update of one parameter."""

    _pass = 'msvag'
    _pass_states = ('m', 'v')

    def _pass_values(self, param):
        h = self._values
        power = h.beta ** self.t
        rho = (1 - h.beta) ** 2 * (1 - power ** 2) / ((1 - power) ** 2 * (1 - h.beta ** 2))
        return [h.lr, 1 - h.beta, 1 - power, min(rho, 0.9999), h.eta, h.weight_decay_rate]


@_hyperparameters.method(MSVAGRule, _default_hyperparam)
class MSVAG(optimizer.GradientMethod):
    """Balles and Hennig, arXiv:1705.07774."""
