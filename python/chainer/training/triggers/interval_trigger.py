# SPDX-License-Identifier: MIT
from chainer.training.triggers import _passing


class IntervalTrigger(_passing.PassingTrigger):
    """Fires at each multiple of the period, in iterations or epochs (which may be fractions)."""

    def __init__(self, period, unit):
        super(IntervalTrigger, self).__init__(unit)
        self.period = period
        self.count = 0

    def _fires(self, before, now):
        self.count = now // self.period
        return before // self.period != self.count

    def get_training_length(self):
        return self.period, self.unit

    def __str__(self):
        return '{}({}, \'{}\')'.format(type(self).__name__, self.period, self.unit)
