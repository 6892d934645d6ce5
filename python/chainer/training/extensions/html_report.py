# SPDX-License-Identifier: MIT
from __future__ import absolute_import

from chainer import _core
from chainer.training import util
from chainer.training.extensions import _library


class HtmlReport(_library.LibraryExtension):
    """Writes a self-contained HTML page about the run.

    Curves of the LogReport, best and last values, command line, git commit, arguments and library, parameters, graph,
    time and memory by function, statistics of parameters and gradients, pictures in the folder, and remarks. Data that
    are not in the log are written to ``report.json``, from which :func:`chainer.run_report.write` makes pages of
    several runs. The page is written when the run ends, and at the trigger if the last time is at least five seconds
    ago. Measured iterations use no lazy evaluation; other iterations have no overhead.

    Args:
        file (str): The file in the trainer's output folder.
        trigger: When statistics of parameters and gradients are taken.
        arguments (dict or argparse.Namespace): Arguments of the run.
        summary: A text, or the result of :func:`chainer.summary`; by default the parameters are listed.
        profiled (int): The number of iterations to measure, from the second on.
    """

    priority = 0

    def __init__(self, file='report.html', trigger=(1, 'epoch'), arguments=None, summary='', profiled=5):
        super(HtmlReport, self).__init__(_core.extensions.HtmlReport(
            file, util.get_trigger(trigger), _library.texts(arguments), str(summary), profiled))

    def _needs_graph(self, trainer):
        return True
