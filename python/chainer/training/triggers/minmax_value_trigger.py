# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import operator

from chainer import reporter
from chainer.training import util


class BestValueTrigger(object):
    """Fires when the mean of an observed value over an interval is better than the best one so far."""

    def __init__(self, key, compare, trigger=(1, 'epoch')):
        self._key = key
        self._best_value = None
        self._interval_trigger = util.get_trigger(trigger)
        self._compare = compare
        self._summary = reporter.DictSummary()

    def __call__(self, trainer):
        if self._key in trainer.observation:
            self._summary.add({self._key: trainer.observation[self._key]})
        if not self._interval_trigger(trainer):
            return False
        value = float(self._summary.compute_mean()[self._key])
        self._summary = reporter.DictSummary()
        if self._best_value is not None and not self._compare(self._best_value, value):
            return False
        self._best_value = value
        return True


class MaxValueTrigger(BestValueTrigger):
    """Fires when the value is larger than ever."""

    def __init__(self, key, trigger=(1, 'epoch')):
        super(MaxValueTrigger, self).__init__(key, operator.lt, trigger)


class MinValueTrigger(BestValueTrigger):
    """Fires when the value is smaller than ever."""

    def __init__(self, key, trigger=(1, 'epoch')):
        super(MinValueTrigger, self).__init__(key, operator.gt, trigger)
