# SPDX-License-Identifier: MIT
import numpy

from chainer.training.extensions import _schedule


class StepShift(_schedule.Schedule):
    """init * gamma ** floor(t / step), up to the target."""

    def __init__(self, attr, gamma, step, init=None, target=None, optimizer=None):
        super(StepShift, self).__init__(attr, init, target, optimizer)
        self._gamma, self._step = gamma, step

    def _value(self):
        return self._bounded(self._init * self._gamma ** numpy.floor(self._t / self._step), self._gamma > 1)
