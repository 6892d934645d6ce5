# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import os
import sys

from chainer.training import extension
from chainer.training.extensions import log_report as log_report_module


class PrintReport(extension.Extension):
    """Prints the entries of a LogReport as a table."""

    def __init__(self, entries, log_report='LogReport', out=sys.stdout):
        self._entries, self._log_report, self._out = entries, log_report, out
        self._log_len = 0  # number of printed entries
        widths = [max(10, len(entry)) for entry in entries]
        self._header = '  '.join(['{:%d}' % w for w in widths]).format(*entries) + '\n'
        self._templates = [(entry, '{:<%dg}  ' % w, ' ' * (w + 2)) for entry, w in zip(entries, widths)]

    def initialize(self, trainer):
        log_report = self.get_log_report(trainer)
        if log_report is self._log_report and hasattr(log_report, 'initialize'):
            log_report.initialize(trainer)

    def get_log_report(self, trainer):
        """Returns the LogReport, which may be given by its name."""
        if isinstance(self._log_report, str):
            return trainer.get_extension(self._log_report)
        if isinstance(self._log_report, log_report_module.LogReport):
            return self._log_report
        raise TypeError('log report has a wrong type %s' % type(self._log_report))

    def __call__(self, trainer):
        if self._header:
            self._out.write(self._header)
            self._header = None
        log_report = self.get_log_report(trainer)
        if log_report is self._log_report:
            log_report(trainer)  # owned by this extension
        log = log_report.log
        while self._log_len < len(log):
            if os.name != 'nt':
                self._out.write('\033[J')  # erases a progress bar below
            self._print(log[self._log_len])
            self._log_len += 1

    def _print(self, entry):
        for name, template, empty in self._templates:
            self._out.write(template.format(entry[name]) if name in entry else empty)
        self._out.write('\n')
        if hasattr(self._out, 'flush'):
            self._out.flush()

    def serialize(self, serializer):
        if isinstance(self._log_report, log_report_module.LogReport):
            self._log_report.serialize(serializer['_log_report'])
