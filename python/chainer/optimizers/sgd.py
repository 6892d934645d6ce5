# SPDX-License-Identifier: MIT
from chainer import optimizer

_default_hyperparam = optimizer.Hyperparameter()
_default_hyperparam.lr = 0.01


class SGDRule(optimizer.UpdateRule):
    """The update of one parameter."""

    _pass = 'sgd'
    _pass_states = ()

    def __init__(self, parent_hyperparam=None, lr=None):
        super(SGDRule, self).__init__(parent_hyperparam or _default_hyperparam)
        if lr is not None:
            self.hyperparam.lr = lr

    def _pass_values(self, param):
        h = self._values
        return [h.lr]


class SGD(optimizer.GradientMethod):
    """Gradient descent."""

    def __init__(self, lr=_default_hyperparam.lr):
        super(SGD, self).__init__()
        self.hyperparam.lr = lr

    lr = optimizer.HyperparameterProxy('lr')

    def create_update_rule(self):
        return SGDRule(self.hyperparam)
