# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import operator
import warnings

from chainer import reporter
from chainer.training import util


class EarlyStoppingTrigger(object):
    """A stop trigger that fires if a value did not improve for some checks, or at the end of training."""

    def __init__(self, check_trigger=(1, 'epoch'), monitor='main/loss', patients=3, mode='auto', verbose=False,
                 max_trigger=(100, 'epoch')):
        self.count = 0
        self.patients = patients
        self.monitor = monitor
        self.verbose = verbose
        self._max_trigger = util.get_trigger(max_trigger)
        self._interval_trigger = util.get_trigger(check_trigger)
        self._summary = reporter.DictSummary()
        if mode == 'max' or mode != 'min' and 'accuracy' in monitor:
            self._compare, self.best = operator.gt, -float('inf')
        else:
            self._compare, self.best = operator.lt, float('inf')

    def __call__(self, trainer):
        observation = trainer.observation
        if self.monitor in observation:
            self._summary.add({self.monitor: observation[self.monitor]})
        if self._max_trigger(trainer):
            return True
        if not self._interval_trigger(trainer):
            return False
        if self.monitor not in observation:
            warnings.warn('{} is not in observation'.format(self.monitor))
            return False
        value = self._summary.compute_mean()[self.monitor]
        self._summary = reporter.DictSummary()
        if self._compare(value, self.best):
            self.best, self.count = value, 0
        else:
            self.count += 1
        if self.count < self.patients:
            return False
        if self.verbose:
            print('Epoch {}: early stopping'.format(trainer.updater.epoch))
        return True

    def get_training_length(self):
        return self._max_trigger.get_training_length()
