"""The trainer is not part of this package yet: its names are errors that say so."""
from chainer.training import extensions  # NOQA


def __getattr__(name):
    raise AttributeError('chainer.training.{} is not part of this package yet: write a loop of your own'.format(name))
