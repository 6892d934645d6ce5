# SPDX-License-Identifier: MIT
from chainer import optimizer

_default_hyperparam = optimizer.Hyperparameter()
_default_hyperparam.lr = 0.01
_default_hyperparam.alpha = 0.99
_default_hyperparam.eps = 1e-08
_default_hyperparam.eps_inside_sqrt = False


class RMSpropRule(optimizer.UpdateRule):
    """The update of one parameter."""

    _pass_states = ('ms',)

    def __init__(self, parent_hyperparam=None, lr=None, alpha=None, eps=None, eps_inside_sqrt=None):
        super(RMSpropRule, self).__init__(parent_hyperparam or _default_hyperparam)
        if lr is not None:
            self.hyperparam.lr = lr
        if alpha is not None:
            self.hyperparam.alpha = alpha
        if eps is not None:
            self.hyperparam.eps = eps
        if eps_inside_sqrt is not None:
            self.hyperparam.eps_inside_sqrt = eps_inside_sqrt

    @property
    def _pass(self):
        return 'rmsprop_inside' if self._values.eps_inside_sqrt else 'rmsprop'

    def _pass_values(self, param):
        h = self._values
        optimizer.check_eps(h.eps, param, 'RMSprop')
        return [h.lr, h.alpha, h.eps]


class RMSprop(optimizer.GradientMethod):
    """Tieleman and Hinton's RMSprop."""

    def __init__(self, lr=_default_hyperparam.lr, alpha=_default_hyperparam.alpha, eps=_default_hyperparam.eps,
                 eps_inside_sqrt=_default_hyperparam.eps_inside_sqrt):
        super(RMSprop, self).__init__()
        self.hyperparam.lr = lr
        self.hyperparam.alpha = alpha
        self.hyperparam.eps = eps
        self.hyperparam.eps_inside_sqrt = eps_inside_sqrt

    lr = optimizer.HyperparameterProxy('lr')
    alpha = optimizer.HyperparameterProxy('alpha')
    eps = optimizer.HyperparameterProxy('eps')
    eps_inside_sqrt = optimizer.HyperparameterProxy('eps_inside_sqrt')

    def create_update_rule(self):
        return RMSpropRule(self.hyperparam)
