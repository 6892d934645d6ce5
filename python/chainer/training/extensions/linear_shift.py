# SPDX-License-Identifier: MIT
from chainer.training.extensions import _schedule


class LinearShift(_schedule.Schedule):
    """Changes linearly from the first value to the second between two times."""

    def __init__(self, attr, value_range, time_range, optimizer=None):
        super(LinearShift, self).__init__(attr, value_range[0], None, optimizer)
        self._value_range, self._time_range = value_range, time_range

    def _first(self):
        return self._value()

    def _value(self):
        (v1, v2), (t1, t2) = self._value_range, self._time_range
        if self._t <= t1:
            return v1
        if self._t >= t2:
            return v2
        return v1 + (self._t - t1) / float(t2 - t1) * (v2 - v1)
