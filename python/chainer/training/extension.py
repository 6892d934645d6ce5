# SPDX-License-Identifier: MIT
PRIORITY_WRITER = 300
PRIORITY_EDITOR = 200
PRIORITY_READER = 100


class Extension(object):
    """Base of extensions, which the trainer calls after updates, with defaults for Trainer.extend()."""

    trigger = 1, 'iteration'
    priority = PRIORITY_READER
    name = None

    @property
    def default_name(self):
        """The name of the class."""
        return type(self).__name__

    def __getattr__(self, name):
        if name == 'invoke_before_training':
            raise AttributeError('invoke_before_training is gone. Define initialize() for what must be done before the '
                                 'training loop; it is called once in Trainer.run().')
        raise AttributeError('{!r} object has no attribute {!r}'.format(type(self).__name__, name))

    def __call__(self, trainer):
        """Runs the extension."""
        raise NotImplementedError('{} does not override __call__'.format(type(self).__name__))

    def initialize(self, trainer):
        """Called before the loop, after a snapshot was loaded."""

    def finalize(self):
        """Called after the loop."""

    def serialize(self, serializer):
        """Saves or loads the state of the extension."""


def make_extension(trigger=None, default_name=None, priority=None, finalizer=None, initializer=None, **kwargs):
    """A decorator that adds the attributes of an extension to a function."""
    if kwargs:
        if 'invoke_before_training' in kwargs:
            raise ValueError('invoke_before_training is gone. Give an initializer, which is called once in '
                             'Trainer.run().')
        raise TypeError('make_extension() got unexpected arguments: {}'.format(', '.join(sorted(kwargs))))

    def decorate(function):
        function.trigger = Extension.trigger if trigger is None else trigger
        function.default_name = default_name or function.__name__
        function.priority = Extension.priority if priority is None else priority
        function.finalize = finalizer
        function.initialize = initializer
        return function
    return decorate
