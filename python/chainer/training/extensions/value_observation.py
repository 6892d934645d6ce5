# SPDX-License-Identifier: MIT
from __future__ import absolute_import

from chainer.training import extension


def observe_value(observation_key, target_func):
    """Returns an extension that observes target_func(trainer) under a key."""
    @extension.make_extension(trigger=(1, 'epoch'), priority=extension.PRIORITY_WRITER)
    def _observe_value(trainer):
        trainer.observation[observation_key] = target_func(trainer)
    return _observe_value


def observe_lr(optimizer_name='main', observation_key='lr'):
    """Returns an extension that observes the learning rate of an optimizer."""
    return observe_value(observation_key, lambda trainer: trainer.updater.get_optimizer(optimizer_name).lr)
