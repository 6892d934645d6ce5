# SPDX-License-Identifier: MIT
from __future__ import absolute_import

from chainer.training import extension


class WeightAverage(extension.Extension):
    """Calls ``averaged.update()`` with the target of the main optimizer, after each iteration or when its trigger
    fires, before evaluators run, and keeps the averages in the trainer's snapshots.

    Args:
        averaged (~chainer.links.AveragedModel): The averages. An Evaluator that is given ``averaged.model`` evaluates
            the averaged weights.
    """

    priority = extension.PRIORITY_WRITER + 10

    def __init__(self, averaged):
        self._averaged = averaged

    def __call__(self, trainer):
        self._averaged.update(trainer.updater.get_optimizer('main').target)

    def serialize(self, serializer):
        self._averaged.serialize(serializer['averaged'])
