# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import numpy

from chainer import link
from chainer import variable
from chainer.backends import cuda


class StandardScaler(link.Link):
    """Columns of a table with mean 0 and deviation 1: (x - mean) / scale.

    Mean and scale are saved with the model that the scaler is a member of. With a number of columns they are there
    before :meth:`fit`, as 0 and 1.

    :ivar mean: The means of the columns.
    :ivar scale: The standard deviations of the columns; 1 for a constant column.
    """

    def __init__(self, columns=None):
        super(StandardScaler, self).__init__()
        self.add_persistent('mean', None if columns is None else numpy.zeros(columns, numpy.float32))
        self.add_persistent('scale', None if columns is None else numpy.ones(columns, numpy.float32))

    def fit(self, x):
        """Takes mean and standard deviation of x (rows, columns...) over the rows, in float64 and without NaNs. Raises
        ValueError without rows or for a column of NaNs only, TypeError for an x that is not of numbers."""
        x = cuda.to_cpu(x)
        if x.dtype.kind not in 'fiu':
            raise TypeError('StandardScaler: fit() expects numbers, not {}'.format(x.dtype))
        if x.ndim < 1 or len(x) == 0:
            raise ValueError('StandardScaler: fit() expects rows, not an array of shape {}'.format(x.shape))
        rows = x.astype(numpy.float64)
        empty = numpy.isnan(rows).all(axis=0)
        if empty.any():
            raise ValueError('StandardScaler: column {} is NaN in all {} rows'.format(
                int(numpy.flatnonzero(empty)[0]), len(x)))
        mean, deviation = numpy.nanmean(rows, axis=0), numpy.nanstd(rows, axis=0)
        # A deviation below the rounding error of the mean: the column is constant.
        deviation = numpy.where(deviation > 1e-14 * numpy.abs(mean), deviation, 1)
        dtype = x.dtype if x.dtype.kind == 'f' else numpy.dtype(numpy.float32)
        self.mean, self.scale = self.xp.asarray(mean.astype(dtype)), self.xp.asarray(deviation.astype(dtype))

    def _check(self, operation, x):
        if self.mean is None or self.scale is None:
            raise RuntimeError('StandardScaler: call fit() first, or load a fitted scaler')
        if x.ndim < 1 or x.shape[1:] != self.mean.shape:
            raise ValueError('StandardScaler: {} expects rows of shape {}, as in fit(), got an array of shape {}'.format(
                operation, self.mean.shape, x.shape))

    def forward(self, x):
        """Returns (x - mean) / scale. Raises RuntimeError before fit() or loading."""
        x = variable.as_variable(x)
        self._check('the link', x)
        return (x - self.mean) / self.scale

    def transform(self, x):
        """The same for arrays, without a graph."""
        self._check('transform()', x)
        return (x - self.mean) / self.scale

    def inverse(self, y):
        """Returns y * scale + mean, for predictions of scaled targets."""
        y = variable.as_variable(y)
        self._check('inverse()', y)
        return y * self.scale + self.mean
