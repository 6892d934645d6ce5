# SPDX-License-Identifier: MIT
from __future__ import absolute_import

from chainer.training.extensions import _schedule


class MultistepShift(_schedule.Schedule):
    """Multiplies init by gamma at each of the steps."""

    def __init__(self, attr, gamma, step_value, init, optimizer=None):
        super(MultistepShift, self).__init__(attr, init, None, optimizer)
        if gamma < 0:
            raise ValueError('MultistepShift does not support negative gamma')
        self._gamma, self._step_value = gamma, step_value
        self._current_step = 0

    def _value(self):
        if self._current_step < len(self._step_value) and self._t >= self._step_value[self._current_step]:
            self._current_step += 1
        return self._init * self._gamma ** self._current_step

    def serialize(self, serializer):
        super(MultistepShift, self).serialize(serializer)
        self._current_step = serializer('_current_step', self._current_step)
