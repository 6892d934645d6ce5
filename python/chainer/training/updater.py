# SPDX-License-Identifier: MIT
"""Names that were here in earlier releases."""
from chainer.training._updater import Updater  # NOQA


def __getattr__(name):
    if name in ('ParallelUpdater', 'StandardUpdater'):
        from chainer.training import updaters
        return getattr(updaters, name)
    raise AttributeError('module chainer.training.updater has no attribute {!r}'.format(name))
