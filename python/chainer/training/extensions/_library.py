# SPDX-License-Identifier: MIT
"""Extensions of the library in C++, which see the trainer through python/core/python_trainer.h."""
from __future__ import absolute_import

from chainer import serializer as serializer_module
from chainer.training import extension
from chainer.training.extensions import _keep_graph


def texts(arguments):
    """Returns arguments, a dictionary or an argparse.Namespace, as texts by name."""
    if arguments is None:
        return {}
    if not isinstance(arguments, dict):
        arguments = vars(arguments)
    return {str(name): str(value) for name, value in arguments.items()}


class LibraryExtension(extension.Extension):
    """Base of these extensions: `core` is the extension of the module."""

    def __init__(self, core):
        self._core = core
        self._graph = _keep_graph.KeepGraph()

    def _needs_graph(self, trainer):
        """Returns True if the extension reads the graph of the first iteration's observation."""
        return False

    def initialize(self, trainer):
        self._core.initialize(trainer)
        if self._needs_graph(trainer):
            self._graph.hold()

    def __call__(self, trainer):
        try:
            self._core.run()
        finally:
            self._graph.release(trainer.observation)

    def finalize(self):
        self._graph.release()
        self._core.finalize()

    def serialize(self, serializer):
        self._core.serialize(serializer, not isinstance(serializer, serializer_module.Serializer))
