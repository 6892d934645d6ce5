# SPDX-License-Identifier: MIT
from chainer.training.extensions import _schedule


class InverseShift(_schedule.Schedule):
    """init * (1 + gamma * t) ** -power, up to the target."""

    def __init__(self, attr, gamma, power, init=None, target=None, optimizer=None):
        super(InverseShift, self).__init__(attr, init, target, optimizer)
        if gamma < 0:
            raise ValueError('InverseShift does not support negative gamma')
        self._gamma, self._power = gamma, power

    def _value(self):
        return self._bounded(self._init * (1 + self._gamma * self._t) ** (-self._power), self._power < 0)
