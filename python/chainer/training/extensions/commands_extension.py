# SPDX-License-Identifier: MIT
from __future__ import absolute_import

from chainer import _core
from chainer.training.extensions import _library


class CommandsExtension(_library.LibraryExtension):
    """Executes commands from the file ``commands`` in the trainer's output folder, in the format of ChainerUI.

    After each iteration, requests without a response are executed in order, and their responses are written to the
    file: ``take_snapshot``, ``adjust_hyperparams``, ``stop`` (with a snapshot), ``pause`` and ``resume``, at once or in
    an iteration or epoch. Also reports the run's progress, speed, load and state about once a second to the file
    ``progress``, and the values of each iteration of the first epochs to the file ``curves``; ``chainer serve`` and
    :class:`LivePage` show both. A new run removes the requests of an old one. A run that is resumed from a snapshot has
    the hyperparameters of the snapshot, and repeats later changes at their iterations.

    Raises RuntimeError in initialize() if the optimizer is that of several processes.
    """

    priority = -200  # after snapshots

    def __init__(self):
        super(CommandsExtension, self).__init__(_core.extensions.CommandsExtension())
