# SPDX-License-Identifier: MIT
class TimeTrigger(object):
    """Fires at intervals of the trainer's elapsed time, in seconds."""

    def __init__(self, period):
        self._period = period
        self._next_time = period

    def __call__(self, trainer):
        if self._next_time >= trainer.elapsed_time:
            return False
        self._next_time += self._period
        return True

    def serialize(self, serializer):
        self._next_time = serializer('next_time', self._next_time)
