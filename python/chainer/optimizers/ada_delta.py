# SPDX-License-Identifier: MIT
from chainer import optimizer

_default_hyperparam = optimizer.Hyperparameter()
_default_hyperparam.rho = 0.95
_default_hyperparam.eps = 1e-06


class AdaDeltaRule(optimizer.UpdateRule):
    """The update of one parameter."""

    _pass = 'ada_delta'
    _pass_states = ('msg', 'msdx')

    def __init__(self, parent_hyperparam=None, rho=None, eps=None):
        super(AdaDeltaRule, self).__init__(parent_hyperparam or _default_hyperparam)
        if rho is not None:
            self.hyperparam.rho = rho
        if eps is not None:
            self.hyperparam.eps = eps

    def _pass_values(self, param):
        h = self._values
        return [h.rho, h.eps]


class AdaDelta(optimizer.GradientMethod):
    """Zeiler, arXiv:1212.5701."""

    def __init__(self, rho=_default_hyperparam.rho, eps=_default_hyperparam.eps):
        super(AdaDelta, self).__init__()
        self.hyperparam.rho = rho
        self.hyperparam.eps = eps

    rho = optimizer.HyperparameterProxy('rho')
    eps = optimizer.HyperparameterProxy('eps')

    def create_update_rule(self):
        return AdaDeltaRule(self.hyperparam)
