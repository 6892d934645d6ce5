# SPDX-License-Identifier: MIT
"""Common parts of extensions that change a hyperparameter."""
from __future__ import absolute_import

import numpy

from chainer.training import extension


class Schedule(extension.Extension):
    """Sets an attribute of an optimizer to value(t) at the t-th call, and to its first value before training."""

    def __init__(self, attr, init=None, target=None, optimizer=None):
        self._attr, self._init, self._target, self._optimizer = attr, init, target, optimizer
        self._t = 0
        self._last_value = None

    def initialize(self, trainer):
        optimizer = self._get_optimizer(trainer)
        if self._init is None:
            self._init = getattr(optimizer, self._attr)
        self._update_value(optimizer, self._first() if self._last_value is None else self._last_value)

    def __call__(self, trainer):
        self._t += 1
        self._update_value(self._get_optimizer(trainer), self._value())

    def _first(self):
        return self._init

    def _value(self):
        raise NotImplementedError

    def _bounded(self, value, grows):
        """Limits the value to the target. Both have the sign of the initial value."""
        if self._target is None or self._target == 0:
            return value
        ratio = value / self._target
        return self._target if (ratio > 1 if grows else ratio < 1) else value

    def _get_optimizer(self, trainer):
        return self._optimizer or trainer.updater.get_optimizer('main')

    def _update_value(self, optimizer, value):
        setattr(optimizer, self._attr, value)
        self._last_value = value

    def serialize(self, serializer):
        self._t = serializer('_t', self._t)
        self._last_value = serializer('_last_value', self._last_value)
        if isinstance(self._last_value, (numpy.ndarray, numpy.generic)):
            self._last_value = self._last_value.item()
        if self._last_value is not None and numpy.isnan(self._last_value):  # of a run that had not begun
            self._last_value = None
