# SPDX-License-Identifier: MIT
"""Reports of runs as HTML pages, from their folders of results."""
from __future__ import absolute_import

import os

from chainer import _core
from chainer.utils import _replaced


def page(folders):
    """Returns a self-contained HTML page of one or several runs: readable without scripts, with a script for zooming
    and smoothing.

    Args:
        folders: A folder of results or a log file, also of release 5.4, or a list of them. Damaged parts are named on
            the page. Raises an OSError if there is no log.
    """
    if not isinstance(folders, (list, tuple)):
        folders = [folders]
    return _core.extensions.report_page([os.fspath(folder) for folder in folders])


def write(folders, file='report.html'):
    """Writes :func:`page` to a file, through a temporary file."""
    text = page(folders)
    with _replaced.replaced(file, encoding='utf-8') as f:
        f.write(text)
