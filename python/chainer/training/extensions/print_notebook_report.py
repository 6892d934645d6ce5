# SPDX-License-Identifier: MIT
from __future__ import absolute_import

from chainer.training.extensions import print_report


class PrintReportNotebook(print_report.PrintReport):
    """Shows the entries of a LogReport as a table in a notebook (requires IPython and pandas)."""

    def __call__(self, trainer):
        from IPython import display
        import pandas
        log_report = self.get_log_report(trainer)
        if log_report is self._log_report:
            log_report(trainer)
        if self._log_len < len(log_report.log):
            self._log_len = len(log_report.log)
            frame = pandas.DataFrame(data=log_report.log, columns=self._entries)
            display.clear_output(wait=True)
            display.display(frame)
