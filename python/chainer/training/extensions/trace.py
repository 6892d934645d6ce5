# SPDX-License-Identifier: MIT
from __future__ import absolute_import

from chainer import _core
from chainer.training.extensions import _library


class Trace(_library.LibraryExtension):
    """Writes a timeline of some iterations for https://ui.perfetto.dev or chrome://tracing.

    Each iteration with the waiting for the iterator, the functions of the trainer's thread, forward and backward, with
    the memory in use, the optimizer and each extension; and, of all threads, programs of lazy evaluation. The file is
    written after the last iteration, or when the run ends earlier. Other iterations have no overhead.

    Args:
        first (int): The first iteration, counted from 1.
        last (int): The last iteration.
        file (str): The file in the trainer's output folder.
        most_events (int): Later events are counted but not stored.
        eager (bool): Disables lazy evaluation inside functions, so that each function's time is its own. This changes
            the measurement: elementwise functions are then not fused.
    """

    priority = 0

    def __init__(self, first=10, last=20, file='trace.json', most_events=1000000, eager=False):
        super(Trace, self).__init__(_core.extensions.Trace(first, last, file, most_events, eager))
