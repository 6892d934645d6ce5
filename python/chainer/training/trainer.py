# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import collections
import os
import sys
import time
import traceback

from chainer import reporter as reporter_module
from chainer import serializer as serializer_module
from chainer._core import timeline
from chainer.training import extension as extension_module
from chainer.training import util


class _ExtensionEntry(object):
    """An extension with its priority and its trigger."""

    def __init__(self, extension, priority, trigger):
        self.extension, self.priority, self.trigger = extension, priority, trigger


class Trainer(object):
    """The training loop: updates, each followed by the extensions whose triggers fire, until the stop trigger fires."""

    def __init__(self, updater, stop_trigger=None, out='result', extensions=None):
        self.updater = updater
        self.stop_trigger = util.get_trigger(stop_trigger)
        self.observation = {}
        self.out = out
        self.reporter = reporter_module.Reporter()
        for name, optimizer in updater.get_all_optimizers().items():
            self.reporter.add_observer(name, optimizer.target)
            self.reporter.add_observers(name, optimizer.target.namedlinks(skipself=True))
        self._extensions = collections.OrderedDict()
        self._start_at = None
        self._earlier_time = 0.0
        self._final_elapsed_time = 0.0
        self._done = False
        self._stopping = False
        self._completed = False
        self._failed = False
        updater.connect_trainer(self)
        for extension in extensions or ():
            self.extend(extension)

    @property
    def elapsed_time(self):
        """Seconds of training, including those before a loaded snapshot."""
        if self._done:
            return self._final_elapsed_time
        if self._start_at is None:
            raise RuntimeError('training has not been started yet')
        return time.time() - self._start_at + self._earlier_time

    def extend(self, extension, name=None, trigger=None, priority=None, **kwargs):
        """Adds an extension; omitted options are the extension's attributes. An existing name gets the suffix _1, _2,
        ..."""
        if kwargs:
            if 'invoke_before_training' in kwargs:
                raise ValueError('invoke_before_training is gone. Define initialize() of the extension, which is '
                                 'called once in Trainer.run().')
            raise TypeError('extend() got unexpected arguments: {}'.format(', '.join(sorted(kwargs))))
        for attribute in ('name', 'default_name', '__name__'):
            if name is None:
                name = getattr(extension, attribute, None)
        if name is None:
            raise TypeError('name is not given for the extension')
        if name == 'training':
            raise ValueError('the name "training" is prohibited as an extension name')
        if trigger is None:
            trigger = getattr(extension, 'trigger', (1, 'iteration'))
        if priority is None:
            priority = getattr(extension, 'priority', extension_module.PRIORITY_READER)
        unique, ordinal = name, 0
        while unique in self._extensions:
            ordinal += 1
            unique = '%s_%d' % (name, ordinal)
        extension.name = unique
        self._extensions[unique] = _ExtensionEntry(extension, priority, util.get_trigger(trigger))

    def get_extension(self, name):
        """Returns the extension with this name. Raises ValueError if there is none."""
        if name not in self._extensions:
            raise ValueError('extension %s not found' % name)
        return self._extensions[name].extension

    def run(self, show_loop_exception_msg=True):
        """Runs the training loop; may be called only once."""
        if self._done:
            raise RuntimeError('cannot run training loop multiple times')
        try:
            os.makedirs(self.out)
        except OSError:  # it exists, or is '', the current folder; what cannot be written there is an error later
            pass
        entries = sorted(self._extensions.values(), key=lambda e: -e.priority)
        self._start_at = time.time()
        for entry in entries:
            initialize = getattr(entry.extension, 'initialize', None)
            if initialize is not None:
                initialize(self)
        try:
            while not self._stopping and not self.stop_trigger(self):
                self._iterate(entries)
            self._completed = not self._stopping
        except Exception as error:
            self._failed = True
            if show_loop_exception_msg:
                # The error is shown before finalize(), which may hang.
                sys.stderr.write('Exception in main training loop: {}\n'.format(error))
                sys.stderr.write('Traceback (most recent call last):\n')
                traceback.print_tb(sys.exc_info()[2])
                sys.stderr.write('Will finalize trainer extensions and updater before reraising the exception.\n')
            raise
        finally:
            for entry in entries:
                finalize = getattr(entry.extension, 'finalize', None)
                if finalize is not None:
                    finalize()
            self.updater.finalize()
        self._final_elapsed_time = self.elapsed_time
        self._done = True

    def stop(self):
        """Ends the loop after the current iteration; :meth:`run` then returns."""
        self._stopping = True

    @property
    def is_stopping(self):
        """True if :meth:`stop` was called."""
        return self._stopping

    @property
    def is_completed(self):
        """True if the loop has ended because the stop trigger fired."""
        return self._completed

    @property
    def has_failed(self):
        """True if an exception has ended the loop."""
        return self._failed

    def take_snapshot(self):
        """Writes a snapshot by the trainer's :func:`~chainer.training.extensions.snapshot` that fires at intervals, or
        else as ``snapshot_iter_N``. Returns its path."""
        from chainer.training.extensions import _snapshot
        entries = [e for e in self._extensions.values()
                   if hasattr(e.extension, 'snapshot_filename') and hasattr(e.trigger, 'get_training_length')]
        # Of several, the one that runs last.
        take = min(entries[::-1], key=lambda e: e.priority).extension if entries else _snapshot.snapshot()
        take(self)
        return os.path.join(self.out, take.snapshot_filename.format(self))

    def _iterate(self, entries):
        self.observation = {}
        with self.reporter.scope(self.observation):
            self.updater.update()
            for entry in entries:
                if entry.trigger(self):
                    begin = timeline.now() if timeline.on() else None
                    entry.extension(self)
                    if begin is not None:
                        timeline.tell(entry.extension.name, 'extension', begin)

    def serialize(self, serializer):
        """Saves or loads updater, stop trigger, extensions, their triggers and the elapsed time."""
        self.updater.serialize(serializer['updater'])
        _serialize(self.stop_trigger, serializer, 'stop_trigger')
        extensions, triggers = serializer['extensions'], serializer['extension_triggers']
        for name, entry in self._extensions.items():
            _serialize(entry.extension, extensions, name)
            _serialize(entry.trigger, triggers, name)
        if isinstance(serializer, serializer_module.Serializer):
            serializer('_snapshot_elapsed_time', self.elapsed_time)
        else:
            self._earlier_time = serializer('_snapshot_elapsed_time', 0.0)


def _serialize(part, serializer, name):
    if hasattr(part, 'serialize'):  # the release's HDF5 files have no groups of other parts
        part.serialize(serializer[name])
