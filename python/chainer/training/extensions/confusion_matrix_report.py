# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import os

import numpy

import chainer
from chainer import _core
from chainer.backends import cuda
from chainer.dataset import convert
from chainer.training import extension


class ConfusionMatrixReport(extension.Extension):
    """Draws the confusion matrix of a classifier once per epoch.

    Runs through an iterator of (input, label) in test mode without backprop. In a build without a drawing library it
    only counts.

    Args:
        iterator: An iterator that does not repeat.
        predictor: A callable that returns scores (N, C); of a Classifier, its ``predictor``.
        converter: Converts batches.
        device (int): The device of the batches.
        labels (list of str): Names of the labels; numbers by default.
        file_name (str): The file in the trainer's output folder, PNG or SVG.
    """

    trigger = 1, 'epoch'

    def __init__(self, iterator, predictor, converter=convert.concat_examples, device=None, labels=(),
                 file_name='confusion_matrix.png'):
        if getattr(iterator, 'repeat', False) or getattr(iterator, '_repeat', False):
            raise ValueError('ConfusionMatrixReport: the iterator repeats; construct it with repeat=False')
        self._iterator, self._predictor, self._converter, self._device = iterator, predictor, converter, device
        self._labels, self._file_name = list(labels), file_name
        self._counts = None

    @property
    def counts(self):
        """The counts of the last run, int64 (C, C): rows are true labels, columns predicted ones. None before the
        first run."""
        return self._counts

    def __call__(self, trainer):
        self._iterator.reset()
        self._counts = None
        with chainer.using_config('train', False), chainer.no_backprop_mode():
            for batch in self._iterator:
                arrays = self._converter(batch, self._device)
                if not isinstance(arrays, tuple) or len(arrays) != 2:
                    raise ValueError('ConfusionMatrixReport: examples must have 2 arrays (input and label)')
                self._add(self._predictor(arrays[0]), arrays[1])
        if self._counts is not None:
            _core.extensions.save_confusion_matrix(
                self._counts, self._labels, os.path.join(trainer.out, self._file_name))

    def _add(self, y, t):
        y = cuda.to_cpu(y.array if isinstance(y, chainer.Variable) else y)
        t = numpy.asarray(cuda.to_cpu(t)).ravel()
        classes = y.shape[1]
        kept = t != -1
        if ((t[kept] < 0) | (t[kept] >= classes)).any():
            raise IndexError('ConfusionMatrixReport: labels must be in 0 ... {}, or -1 to be ignored, not {}'.format(
                classes - 1, t[kept & ((t < 0) | (t >= classes))][0]))
        predicted = y.argmax(axis=1).ravel()
        counts = numpy.bincount(t[kept] * classes + predicted[kept], minlength=classes * classes)
        counts = counts.reshape(classes, classes).astype(numpy.int64)
        self._counts = counts if self._counts is None else self._counts + counts

    def finalize(self):
        self._iterator.finalize()
