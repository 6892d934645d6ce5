# SPDX-License-Identifier: MIT
import math

from chainer import optimizer
from chainer.optimizers import _hyperparameters

_default_hyperparam = optimizer.Hyperparameter()
_default_hyperparam.alpha = 0.001
_default_hyperparam.beta1 = 0.9
_default_hyperparam.beta2 = 0.999
_default_hyperparam.eps = 1e-08
_default_hyperparam.eta = 1.0
_default_hyperparam.weight_decay_rate = 0
_default_hyperparam.amsgrad = False


def _learning_rate(h, t):
    if t == 0:
        raise RuntimeError('Adam has a learning rate from the first update on (t is 0)')
    return h.alpha * math.sqrt(1. - math.pow(h.beta2, t)) / (1. - math.pow(h.beta1, t))


@_hyperparameters.rule(_default_hyperparam)
class AdamRule(optimizer.UpdateRule):
    """The update of one parameter."""

    @property
    def _pass(self):
        return 'ams_grad' if self._values.amsgrad else 'adam'

    @property
    def _pass_states(self):
        return ('m', 'v', 'vhat') if self._values.amsgrad else ('m', 'v')

    def _pass_values(self, param):
        h = self._values
        optimizer.check_eps(h.eps, param, 'Adam')
        return [self.lr, 1 - h.beta1, 1 - h.beta2, h.eps, h.eta, h.weight_decay_rate]

    @property
    def lr(self):
        return _learning_rate(self._values, self.t)


@_hyperparameters.method(AdamRule, _default_hyperparam)
class Adam(optimizer.GradientMethod):
    """Kingma and Ba, arXiv:1412.6980; AMSGrad and decoupled weight decay by options."""

    @property
    def lr(self):
        return _learning_rate(self.hyperparam, self.t)
