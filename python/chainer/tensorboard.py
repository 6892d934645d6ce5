# SPDX-License-Identifier: MIT
"""Event files for TensorBoard."""
from __future__ import absolute_import

from chainer import _core


class Writer(object):
    """Writes an event file to a folder for ``tensorboard --logdir``.

    Each writer has a file of its own, so that several processes can write to one folder. Records are written after
    `flush_seconds` at the latest, by :meth:`flush` and by :meth:`close`. May be used by several threads, and as a
    context manager.

    Args:
        folder (str): The folder, which is made.
        purge_step (int): The step of a resumed run: TensorBoard drops the points of earlier files from this step on.
        flush_seconds (float): The longest time until a value is written to the file.

    .. code-block:: python

        with chainer.tensorboard.Writer('result/board') as board:
            for i in range(100):
                board.scalar('loss', 1 / (1 + i), i)
    """

    def __init__(self, folder, purge_step=None, flush_seconds=10):
        self._core = _core.extensions.TensorBoardWriter(str(folder), purge_step, flush_seconds)

    @classmethod
    def _of(cls, core):
        writer = cls.__new__(cls)
        writer._core = core
        return writer

    def _open(self):
        if self._core is None:
            raise ValueError('the writer is closed')
        return self._core

    def scalar(self, tag, value, step):
        """Adds a point to the curve `tag`, in float32. A slash in a tag makes groups."""
        self._open().scalar(tag, float(getattr(value, 'array', value)), step)

    def histogram(self, tag, values, step, bins=64):
        """Adds a histogram of the elements of an array, with `bins` intervals between the smallest and the largest.
        Ignores NaN and infinities; does nothing without finite elements."""
        self._open().histogram(tag, values, step, bins)

    def image(self, tag, picture, step):
        """Adds a picture (channels, height, width) or (height, width) with 1 or 3 channels: uint8, or floating values
        from 0 to 1. Raises RuntimeError in a build without libpng."""
        self._open().image(tag, picture, step)

    def text(self, tag, markdown, step):
        """Adds a text in Markdown."""
        self._open().text(tag, markdown, step)

    def hparams(self, values, metrics):
        """Adds the hyperparameters of the run, a dictionary of numbers, booleans and texts, for the page HPARAMS, which
        compares runs by them and by these scalars. May be called once per writer."""
        self._open().hparams(dict(values), list(metrics))

    def graph(self, outputs, model=()):
        """Adds the computational graph of a Variable, or of several, for the page GRAPHS. Functions that read
        parameters of the model's links are in the scopes of the links. May be called once per writer. Raises ValueError
        if no function computed the outputs.

        Args:
            outputs: The Variables.
            model: A link, or a dictionary of links by prefixes of their paths.
        """
        outputs = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
        models = model if isinstance(model, dict) else {'': model} if model != () else {}
        self._open().graph(outputs, models)

    def flush(self):
        """Writes buffered records. Raises an OSError if that fails, for example on a full disk."""
        self._open().flush()

    def close(self):
        """Flushes, and ends the use of the writer."""
        if self._core is not None:
            core, self._core = self._core, None
            core.flush()

    @property
    def path(self):
        """The path of the file."""
        return str(self._open().path)

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        self.close()
