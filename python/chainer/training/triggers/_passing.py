# SPDX-License-Identifier: MIT
import warnings


class PassingTrigger(object):
    """Base of triggers that compare their previous call with the current one, in iterations or epochs."""

    def __init__(self, unit):
        assert unit in ('epoch', 'iteration'), unit
        self.unit = unit
        self._previous_iteration = 0
        self._previous_epoch_detail = 0.

    def __call__(self, trainer):
        updater = trainer.updater
        if self.unit == 'epoch':
            now, before = updater.epoch_detail, self._previous_epoch_detail
            if before < 0:  # missing in the snapshot
                before = updater.previous_epoch_detail
        else:
            now, before = updater.iteration, self._previous_iteration
            if before < 0:
                before = now - 1
        self._previous_iteration = updater.iteration
        if hasattr(updater, 'epoch_detail'):
            self._previous_epoch_detail = updater.epoch_detail
        return self._fires(before, now)

    def _fires(self, before, now):
        raise NotImplementedError

    def serialize(self, serializer):
        for key, what in (('previous_iteration', 'iteration'), ('previous_epoch_detail', 'epoch_detail')):
            try:
                value = serializer(key, getattr(self, '_' + key))
            except KeyError:
                warnings.warn('The previous value of {0} is not saved. {1} guesses it from the current {0}. If this '
                              'trigger is not called at every iteration, it may not work correctly.'.format(
                                  what, type(self).__name__))
                value = -1
            setattr(self, '_' + key, value)
