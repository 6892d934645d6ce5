# SPDX-License-Identifier: MIT
"""Common parts of schedules that decay after a linear warm-up."""
from __future__ import absolute_import

from chainer.training.extensions import _schedule


class Decay(_schedule.Schedule):
    """From warmup_start to the initial value in `warmup` calls, then to `target` at `max_count` calls. After t calls
    the value is target + (init - target) shape(p) with p = (t - warmup) / (max_count - warmup)."""

    def __init__(self, attr, max_count, init=None, target=0., warmup=0, warmup_start=0., optimizer=None):
        super(Decay, self).__init__(attr, init, target, optimizer)
        if not 0 <= warmup < max_count:
            raise ValueError('{}: 0 <= warmup < max_count is required; warmup is {}, max_count {}'.format(
                type(self).__name__, warmup, max_count))
        self._max_count, self._warmup, self._warmup_start = max_count, warmup, warmup_start

    def _first(self):
        return self._value()

    def _value(self):
        t, target = self._t, self._target
        if t < self._warmup:
            return self._warmup_start + (self._init - self._warmup_start) * (t / float(self._warmup))
        if t >= self._max_count:
            return target
        return target + (self._init - target) * self._shape((t - self._warmup) / float(self._max_count - self._warmup))

    def _shape(self, p):
        raise NotImplementedError
