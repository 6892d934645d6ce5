# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import sys

from chainer import _core
from chainer.training.extensions import _library


class Dashboard(_library.LibraryExtension):
    """Shows the run in a terminal: curves of observed values, the table of the extension LogReport, progress, time
    left, speed, memory, and the number of busy cores.

    Keys: q takes a snapshot and ends the run, s takes a snapshot, c shows the next curves. If the output is not a
    terminal, with NO_COLOR, CI or TERM=dumb in the environment, and in small windows, prints plain lines instead.
    Replaces PrintReport and ProgressBar.

    Args:
        columns (list of str): Columns of the table; by default epoch, iteration and the keys of the log.
        interval (float): Seconds between two updates of the screen.
        line_interval (float): Seconds between two lines of output without a terminal.
        out: The output, a file with a descriptor; ``sys.stdout`` by default.
    """

    priority = -200

    def __init__(self, columns=(), interval=0.25, line_interval=10, out=None):
        out = sys.stdout if out is None else out
        try:
            descriptor = out.fileno()
        except (AttributeError, OSError, ValueError):
            raise ValueError('Dashboard: out must be a file with a descriptor, not {!r}'.format(out))
        out.flush()
        super(Dashboard, self).__init__(_core.extensions.Dashboard(list(columns), interval, line_interval, descriptor))
