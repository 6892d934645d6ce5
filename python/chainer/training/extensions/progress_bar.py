# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import datetime
import os
import sys
import time

from chainer.training import extension


class ProgressBar(extension.Extension):
    """Prints bars for the whole training and the current epoch, and the remaining time."""

    def __init__(self, training_length=None, update_interval=100, bar_length=50, out=sys.stdout):
        self._training_length = training_length
        self._update_interval, self._bar_length, self._out = update_interval, bar_length, out
        self._recent = []  # iteration, fraction of the epoch and time of the last bars

    def __call__(self, trainer):
        if self._training_length is None:
            trigger = trainer.stop_trigger
            if not hasattr(trigger, 'get_training_length'):
                raise TypeError('training length is not given and the stop trigger has none')
            self._training_length = trigger.get_training_length()
        if trainer.updater.iteration % self._update_interval == 0:
            self._recent.append((trainer.updater.iteration, trainer.updater.epoch_detail, time.time()))
            del self._recent[:-100]
            lines = self._lines(trainer)
            erase = '\033[J' if os.name != 'nt' else ''
            up = '\033[%dA' % len(lines) if os.name != 'nt' else ''
            self._out.write(erase + ''.join(lines) + up)
            self._flush()

    def _bar(self, title, rate):
        marks = '#' * int(rate * self._bar_length)
        return '{:>10} [{}{}] {:6.2%}\n'.format(title, marks, '.' * (self._bar_length - len(marks)), rate)

    def _lines(self, trainer):
        length, unit = self._training_length
        iteration, epoch = trainer.updater.iteration, trainer.updater.epoch_detail
        done = iteration if unit == 'iteration' else epoch
        lines = [self._bar('total', done / float(length)), self._bar('this epoch', epoch - int(epoch))]
        lines.append('{:10} iter, {} epoch / {} {}s\n'.format(iteration, trainer.updater.epoch, length, unit))
        first_iteration, first_epoch, first_time = self._recent[0]
        seconds = max(time.time() - first_time, 1e-9)
        speed = (iteration - first_iteration) / seconds
        per_unit = speed if unit == 'iteration' else (epoch - first_epoch) / seconds
        left = max(length - done, 0) / per_unit if per_unit > 0 else 0
        lines.append('{:10.5g} iters/sec. Estimated time to finish: {}.\n'.format(
            speed, datetime.timedelta(seconds=left)))
        return lines

    def _flush(self):
        if hasattr(self._out, 'flush'):
            self._out.flush()

    def finalize(self):
        if os.name != 'nt':
            self._out.write('\033[J')
            self._flush()
