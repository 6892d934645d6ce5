# SPDX-License-Identifier: MIT
"""Sparse matrices in coordinate format."""
import numpy

import chainer
from chainer.backends import cuda


def _stacked(arrays, n, fill):
    out = numpy.full((len(arrays), n), fill, dtype=arrays[0].dtype)
    for i, a in enumerate(arrays):
        out[i, :len(a)] = a
    return out


def to_coo(x, ldnz=None, requires_grad=False):
    """Converts a dense array to a sparse matrix, or a batch of sparse matrices."""
    there, x = x, cuda.to_cpu(x)  # the places of the elements are found on the host
    if x.ndim == 2:
        row, col = x.nonzero()
        if ldnz is None or ldnz < len(row):
            ldnz = len(row)
        data, r, c = _stacked([x[row, col]], ldnz, 0)[0], _stacked([row], ldnz, -1)[0], _stacked([col], ldnz, -1)[0]
        shape = x.shape
    elif x.ndim == 3:
        places = [m.nonzero() for m in x]
        most = max([len(p[0]) for p in places] + [0 if ldnz is None else ldnz])
        data = _stacked([m[p] for m, p in zip(x, places)], most, 0)
        r = _stacked([p[0] for p in places], most, -1)
        c = _stacked([p[1] for p in places], most, -1)
        shape = x.shape[1:]
    else:
        raise ValueError('ndim of x must be 2 or 3, not {}'.format(x.ndim))
    data, r, c = [cuda.like(a, there) for a in (data, r.astype(numpy.int32), c.astype(numpy.int32))]
    return CooMatrix(data, r, c, shape, requires_grad=requires_grad)


def get_order(row, col):
    """Returns 'C' or 'F' if the indices are in this order, otherwise 'other'."""
    row, col = cuda.to_cpu(row), cuda.to_cpu(col)
    row, col = row[row >= 0] if row.ndim == 1 else row, col[col >= 0] if col.ndim == 1 else col

    def ascending(major, minor):
        if major.ndim == 2:
            return all([ascending(a[a >= 0], b[b >= 0]) for a, b in zip(major, minor)])
        d = numpy.diff(major)
        return bool(numpy.all(d >= 0) and numpy.all(numpy.diff(minor)[d == 0] >= 0))
    return 'C' if ascending(row, col) else 'F' if ascending(col, row) else 'other'


class CooMatrix(object):
    """Values at indices of a matrix, or of each matrix of a batch. Entries with a negative row are ignored."""

    def __init__(self, data, row, col, shape, order=None, requires_grad=False):
        if not data.ndim == row.ndim == col.ndim or not 1 <= data.ndim <= 2:
            raise ValueError('ndim of data, row and col must be 1 or 2 and the same')
        if len(shape) != 2:
            raise ValueError('length of shape must be 2')
        if not (data.shape == row.shape == col.shape):
            raise ValueError('shapes of data, row and col must be the same')
        if not all(n > 0 for n in shape):
            raise ValueError('numbers in shape must be greater than 0')
        if order not in ('C', 'F', 'other', None):
            raise ValueError("order must be 'C', 'F', 'other' or None, not {!r}".format(order))
        self.data = chainer.Variable(data, requires_grad=requires_grad)
        self.row, self.col = row, col
        self.shape = tuple(shape)
        self.order = get_order(row, col) if order is None else order

    def to_dense(self):
        data, row, col = [numpy.atleast_2d(cuda.to_cpu(a)) for a in (self.data.array, self.row, self.col)]
        x = numpy.zeros((len(data),) + self.shape, dtype=data.dtype)
        for i in range(len(data)):
            there = row[i] >= 0
            x[i, row[i][there], col[i][there]] = data[i][there]
        return cuda.like(x if self.data.ndim == 2 else x[0], self.data.array)
