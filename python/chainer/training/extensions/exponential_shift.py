# SPDX-License-Identifier: MIT
from chainer.training.extensions import _schedule


class ExponentialShift(_schedule.Schedule):
    """init * rate ** t, up to the target."""

    def __init__(self, attr, rate, init=None, target=None, optimizer=None):
        super(ExponentialShift, self).__init__(attr, init, target, optimizer)
        if rate < 0:
            raise ValueError('ExponentialShift does not support negative rate')
        self._rate = rate

    def _value(self):
        return self._bounded(self._init * self._rate ** self._t, self._rate > 1)
