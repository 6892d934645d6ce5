# SPDX-License-Identifier: MIT
from chainer import optimizer

_default_hyperparam = optimizer.Hyperparameter()
_default_hyperparam.lr = 0.1
_default_hyperparam.beta = 0.9
_default_hyperparam.eta = 1.0
_default_hyperparam.weight_decay_rate = 0


class MSVAGRule(optimizer.UpdateRule):
    """The update of one parameter."""

    _pass = 'msvag'
    _pass_states = ('m', 'v')

    def __init__(self, parent_hyperparam=None, lr=None, beta=None, eta=None, weight_decay_rate=None):
        super(MSVAGRule, self).__init__(parent_hyperparam or _default_hyperparam)
        if lr is not None:
            self.hyperparam.lr = lr
        if beta is not None:
            self.hyperparam.beta = beta
        if eta is not None:
            self.hyperparam.eta = eta
        if weight_decay_rate is not None:
            self.hyperparam.weight_decay_rate = weight_decay_rate

    def _pass_values(self, param):
        h = self._values
        power = h.beta ** self.t
        rho = (1 - h.beta) ** 2 * (1 - power ** 2) / ((1 - power) ** 2 * (1 - h.beta ** 2))
        return [h.lr, 1 - h.beta, 1 - power, min(rho, 0.9999), h.eta, h.weight_decay_rate]


class MSVAG(optimizer.GradientMethod):
    """Balles and Hennig, arXiv:1705.07774."""

    def __init__(self, lr=_default_hyperparam.lr, beta=_default_hyperparam.beta, eta=_default_hyperparam.eta,
                 weight_decay_rate=_default_hyperparam.weight_decay_rate):
        super(MSVAG, self).__init__()
        self.hyperparam.lr = lr
        self.hyperparam.beta = beta
        self.hyperparam.eta = eta
        self.hyperparam.weight_decay_rate = weight_decay_rate

    lr = optimizer.HyperparameterProxy('lr')
    beta = optimizer.HyperparameterProxy('beta')
    eta = optimizer.HyperparameterProxy('eta')
    weight_decay_rate = optimizer.HyperparameterProxy('weight_decay_rate')

    def create_update_rule(self):
        return MSVAGRule(self.hyperparam)
