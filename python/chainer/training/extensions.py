"""Extensions of the trainer, which is not part of this package yet."""


def __getattr__(name):
    raise AttributeError('chainer.training.extensions.{} is not part of this package yet'.format(name))
