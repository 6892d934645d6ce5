# SPDX-License-Identifier: MIT
"""The training loop: a trainer, updaters, extensions and triggers."""
from chainer.training import extension  # NOQA
from chainer.training import extensions  # NOQA
from chainer.training import trainer  # NOQA
from chainer.training import trigger  # NOQA
from chainer.training import triggers  # NOQA
from chainer.training import updater  # NOQA
from chainer.training import updaters  # NOQA
from chainer.training import util  # NOQA
from chainer.training.extension import Extension, make_extension  # NOQA
from chainer.training.extension import PRIORITY_EDITOR, PRIORITY_READER, PRIORITY_WRITER  # NOQA
from chainer.training.trainer import Trainer  # NOQA
from chainer.training.triggers.interval_trigger import IntervalTrigger  # NOQA
from chainer.training.updater import Updater  # NOQA
from chainer.training.updaters.parallel_updater import ParallelUpdater  # NOQA
from chainer.training.updaters.standard_updater import StandardUpdater  # NOQA
from chainer.training.util import get_trigger  # NOQA
