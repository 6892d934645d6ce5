# SPDX-License-Identifier: MIT
from chainer.training.extensions import _schedule


class PolynomialShift(_schedule.Schedule):
    """init * max(1 - t / max_count, 0) ** rate, up to the target."""

    def __init__(self, attr, rate, max_count, init=None, target=None, optimizer=None):
        super(PolynomialShift, self).__init__(attr, init, target, optimizer)
        self._rate, self._max_count = rate, max_count

    def _value(self):
        value = self._init * max(1 - self._t / float(self._max_count), 0) ** self._rate
        return self._bounded(value, self._rate < 0)
