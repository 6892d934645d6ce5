# SPDX-License-Identifier: MIT
from chainer.dataset import dataset_mixin


class ConcatenatedDataset(dataset_mixin.DatasetMixin):
    """A concatenation of datasets."""

    def __init__(self, *datasets):
        self._datasets = datasets

    def __len__(self):
        return sum([len(dataset) for dataset in self._datasets])

    def get_example(self, i):
        if i < 0:
            raise IndexError('dataset index out of range')
        for dataset in self._datasets:
            if i < len(dataset):
                return dataset[i]
            i -= len(dataset)
        raise IndexError('dataset index out of range')
