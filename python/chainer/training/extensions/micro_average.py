# SPDX-License-Identifier: MIT
from __future__ import absolute_import

from chainer import reporter
from chainer.training import extension
from chainer.training import util


class MicroAverage(extension.Extension):
    """The sum of one observed value divided by the sum of another, over an interval."""

    priority = extension.PRIORITY_EDITOR

    def __init__(self, numerator_key, denominator_key, result_key, trigger=(1, 'epoch')):
        self._trigger = util.get_trigger(trigger)
        self._numerator_key, self._denominator_key, self._result_key = numerator_key, denominator_key, result_key
        self._numerator = self._denominator = 0

    def __call__(self, trainer):
        observation = trainer.observation
        if self._numerator_key not in observation or self._denominator_key not in observation:
            return
        self._numerator += observation[self._numerator_key]
        self._denominator += observation[self._denominator_key]
        if self._trigger(trainer):
            result = float(self._numerator) / self._denominator
            self._numerator = self._denominator = 0
            reporter.report({self._result_key: result})

    def serialize(self, serializer):
        if hasattr(self._trigger, 'serialize'):
            self._trigger.serialize(serializer['_trigger'])
        self._numerator = serializer('_numerator', self._numerator)
        self._denominator = serializer('_denominator', self._denominator)
