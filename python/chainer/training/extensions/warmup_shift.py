# SPDX-License-Identifier: MIT
from chainer.training.extensions import _schedule


class WarmupShift(_schedule.Schedule):
    """Changes from warmup_start to init in warmup_iter calls; afterwards the value is not changed."""

    def __init__(self, attr, warmup_start, warmup_iter, init, optimizer=None):
        super(WarmupShift, self).__init__(attr, init, None, optimizer)
        self._warmup_start, self._warmup_iter = warmup_start, warmup_iter

    def initialize(self, trainer):
        optimizer = self._get_optimizer(trainer)
        if self._warmup_start is None:
            self._warmup_start = getattr(optimizer, self._attr)
        self._update_value(optimizer, self._value() if self._t <= self._warmup_iter else self._init)

    def __call__(self, trainer):
        self._t += 1
        if self._t <= self._warmup_iter:
            self._update_value(self._get_optimizer(trainer), self._value())

    def _value(self):
        if self._t == 0:
            return self._warmup_start
        n = self._warmup_iter
        return (self._t * self._init + (n - self._t) * self._warmup_start) / n

    def serialize(self, serializer):
        self._t = serializer('_t', self._t)
