# SPDX-License-Identifier: MIT
import warnings


class OnceTrigger(object):
    """Fires at the first call, and with call_on_resume again after a snapshot was loaded."""

    def __init__(self, call_on_resume=False):
        self._flag_first = True
        self._flag_resumed = call_on_resume

    @property
    def finished(self):
        return not (self._flag_first or self._flag_resumed)

    def __call__(self, trainer):
        fires = not self.finished
        self._flag_first = self._flag_resumed = False
        return fires

    def serialize(self, serializer):
        try:
            self._flag_first = serializer('_flag_first', self._flag_first)
        except KeyError:
            warnings.warn('The flag is not saved. OnceTrigger guesses that it is not the first call.')
            self._flag_first = False
