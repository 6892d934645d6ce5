# SPDX-License-Identifier: MIT
from chainer import optimizer
from chainer.optimizers import _hyperparameters

_default_hyperparam = optimizer.Hyperparameter()
_default_hyperparam.lr = 0.001
_default_hyperparam.eps = 1e-16


@_hyperparameters.rule(_default_hyperparam)
class SMORMS3Rule(optimizer.UpdateRule):
    """The update of one parameter."""

    _pass = 'smorms3'
    _pass_states = ('mem', 'g', 'g2')

    def init_state(self, param):
        super(SMORMS3Rule, self).init_state(param)
        self.state['mem'][...] = 1


@_hyperparameters.method(SMORMS3Rule, _default_hyperparam)
class SMORMS3(optimizer.GradientMethod):
    """Funk's SMORMS3."""
