# SPDX-License-Identifier: MIT
import numpy

from chainer.dataset import dataset_mixin


class SubDataset(dataset_mixin.DatasetMixin):
    """The examples from start to finish of a dataset, optionally in the given order."""

    def __init__(self, dataset, start, finish, order=None):
        if start < 0 or finish > len(dataset):
            raise ValueError('subset overruns the base dataset.')
        if order is not None and len(order) != len(dataset):
            raise ValueError('order option must have the same length as the base dataset: len(order) = {} while '
                             'len(dataset) = {}'.format(len(order), len(dataset)))
        self._dataset, self._start, self._finish, self._order = dataset, start, finish, order
        self._size = finish - start

    def __len__(self):
        return self._size

    def get_example(self, i):
        if i >= 0:
            if i >= self._size:
                raise IndexError('dataset index out of range')
            index = self._start + i
        else:
            if i < -self._size:
                raise IndexError('dataset index out of range')
            index = self._finish + i
        return self._dataset[index if self._order is None else self._order[index]]


def split_dataset(dataset, split_at, order=None):
    """Splits a dataset at split_at."""
    n = len(dataset)
    if not isinstance(split_at, (int, numpy.integer)):
        raise TypeError('split_at must be int, got {} instead'.format(type(split_at)))
    if split_at < 0:
        raise ValueError('split_at must be non-negative')
    if split_at > n:
        raise ValueError('split_at exceeds the dataset size')
    return SubDataset(dataset, 0, split_at, order), SubDataset(dataset, split_at, n, order)


def split_dataset_random(dataset, first_size, seed=None):
    """Splits a dataset in random order at first_size."""
    order = numpy.random.RandomState(seed).permutation(len(dataset))
    return split_dataset(dataset, first_size, order)


def split_dataset_n(dataset, n, order=None):
    """Splits a dataset into n parts of equal size; remaining examples are dropped."""
    size = len(dataset) // n
    return [SubDataset(dataset, size * i, size * (i + 1), order) for i in range(n)]


def split_dataset_n_random(dataset, n, seed=None):
    """Splits a dataset in random order into n parts of equal size."""
    return split_dataset_n(dataset, n, numpy.random.RandomState(seed).permutation(len(dataset)))


def get_cross_validation_datasets(dataset, n_fold, order=None):
    """Returns a pair of training and test set for each fold; the first test set is the last fold of the order."""
    if order is None:
        order = numpy.arange(len(dataset))
    order = numpy.asarray(order)
    whole = len(dataset)
    borders = [whole * i // n_fold for i in range(n_fold + 1)]
    pairs = []
    for start, stop in reversed(list(zip(borders[:-1], borders[1:]))):
        rotated = numpy.concatenate([order[stop:], order[:stop]])
        pairs.append(split_dataset(dataset, whole - (stop - start), rotated))
    return pairs


def get_cross_validation_datasets_random(dataset, n_fold, seed=None):
    """Returns cross-validation pairs of the dataset in random order."""
    return get_cross_validation_datasets(dataset, n_fold, numpy.random.RandomState(seed).permutation(len(dataset)))
