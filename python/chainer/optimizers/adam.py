# SPDX-License-Identifier: MIT
import math

from chainer import optimizer

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


class AdamRule(optimizer.UpdateRule):
    """The update of one parameter."""

    def __init__(self, parent_hyperparam=None, alpha=None, beta1=None, beta2=None, eps=None, eta=None,
                 weight_decay_rate=None, amsgrad=None):
        super(AdamRule, self).__init__(parent_hyperparam or _default_hyperparam)
        if alpha is not None:
            self.hyperparam.alpha = alpha
        if beta1 is not None:
            self.hyperparam.beta1 = beta1
        if beta2 is not None:
            self.hyperparam.beta2 = beta2
        if eps is not None:
            self.hyperparam.eps = eps
        if eta is not None:
            self.hyperparam.eta = eta
        if weight_decay_rate is not None:
            self.hyperparam.weight_decay_rate = weight_decay_rate
        if amsgrad is not None:
            self.hyperparam.amsgrad = amsgrad

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


class Adam(optimizer.GradientMethod):
    """Kingma and Ba, arXiv:1412.6980; AMSGrad and decoupled weight decay by options."""

    def __init__(self, alpha=_default_hyperparam.alpha, beta1=_default_hyperparam.beta1,
                 beta2=_default_hyperparam.beta2, eps=_default_hyperparam.eps, eta=_default_hyperparam.eta,
                 weight_decay_rate=_default_hyperparam.weight_decay_rate, amsgrad=_default_hyperparam.amsgrad):
        super(Adam, self).__init__()
        self.hyperparam.alpha = alpha
        self.hyperparam.beta1 = beta1
        self.hyperparam.beta2 = beta2
        self.hyperparam.eps = eps
        self.hyperparam.eta = eta
        self.hyperparam.weight_decay_rate = weight_decay_rate
        self.hyperparam.amsgrad = amsgrad

    alpha = optimizer.HyperparameterProxy('alpha')
    beta1 = optimizer.HyperparameterProxy('beta1')
    beta2 = optimizer.HyperparameterProxy('beta2')
    eps = optimizer.HyperparameterProxy('eps')
    eta = optimizer.HyperparameterProxy('eta')
    weight_decay_rate = optimizer.HyperparameterProxy('weight_decay_rate')
    amsgrad = optimizer.HyperparameterProxy('amsgrad')

    @property
    def lr(self):
        return _learning_rate(self.hyperparam, self.t)

    def create_update_rule(self):
        return AdamRule(self.hyperparam)
