# SPDX-License-Identifier: MIT
"""Keeps the graphs of reported values while extensions need them."""
from __future__ import absolute_import

import copy
import threading

from chainer import configuration
from chainer import variable

_thread = threading.local()


class KeepGraph(object):
    """Values reported by this thread keep their graphs from hold() to release(). The last release() restores the
    setting, whatever the order."""

    def __init__(self):
        self._held = False

    def hold(self):
        if self._held:
            return
        self._held = True
        _thread.holders = getattr(_thread, 'holders', 0) + 1
        if _thread.holders == 1:
            _thread.before = bool(configuration.config.keep_graph_on_report)
            configuration.config.keep_graph_on_report = True

    @property
    def is_held(self):
        return self._held

    def release(self, observation=None):
        """Ends the holding. The last holder drops the graphs of the observed values, which outlive the iteration."""
        if not self._held:
            return
        self._held = False
        _thread.holders -= 1
        if _thread.holders > 0:
            return
        configuration.config.keep_graph_on_report = _thread.before
        if observation is not None and not _thread.before:
            for key, value in observation.items():
                if isinstance(value, variable.Variable) and value.creator_node is not None:
                    observation[key] = copy.copy(value)
                    observation[key].unchain()
