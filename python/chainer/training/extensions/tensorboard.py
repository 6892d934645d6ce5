# SPDX-License-Identifier: MIT
from __future__ import absolute_import

from chainer import _core
from chainer import tensorboard
from chainer.training import util
from chainer.training.extensions import _library


class TensorBoard(_library.LibraryExtension):
    """Writes the run for ``tensorboard --logdir RESULT``.

    Observed values, hyperparameters of the optimizers (``hyperparameters/lr``), seconds per iteration and the part
    spent waiting for the iterator, memory in use, histograms of parameters and gradients, and the computational graph
    with links as scopes. The step is the iteration. A run resumed from a snapshot writes a new file, at whose start
    TensorBoard drops the points after the snapshot.

    Args:
        folder (str): The folder in the trainer's output folder.
        scalars: The trigger of scalars, which are means of the values observed since the last time.
        histograms: The trigger of histograms.
        hparams (dict): Hyperparameters of the run (numbers, booleans, texts) for the page HPARAMS, which compares runs
            by `metrics`.
        metrics (list of str): Observed values, whose means over the newest complete epoch are written as the scalars
            ``epoch/main/loss`` and so on if there are `hparams`.
        graph (bool): Writes the graph of the first iteration's observation.

    .. code-block:: python

        trainer.extend(extensions.TensorBoard(hparams=vars(args)))
    """

    def __init__(self, folder='tensorboard', scalars=(1, 'iteration'), histograms=(1, 'epoch'), hparams=None,
                 metrics=('main/loss', 'validation/main/loss', 'validation/main/accuracy'), graph=True):
        super(TensorBoard, self).__init__(_core.extensions.TensorBoard(
            folder, util.get_trigger(scalars), util.get_trigger(histograms), dict(hparams or {}), list(metrics), graph))
        self._writes_graph = graph

    def _needs_graph(self, trainer):
        return self._writes_graph and trainer.updater.iteration == 0

    @property
    def writer(self):
        """The :class:`chainer.tensorboard.Writer`, for custom pictures and texts. Raises RuntimeError unless the
        trainer runs."""
        return tensorboard.Writer._of(self._core.writer)
