# SPDX-License-Identifier: MIT
import numpy


class TupleDataset(object):
    """Examples that are tuples of elements of several datasets."""

    def __init__(self, *datasets):
        if not datasets:
            raise ValueError('no datasets are given')
        self._length = len(datasets[0])
        for i, dataset in enumerate(datasets):
            if len(dataset) != self._length:
                raise ValueError('dataset of the index {} has a wrong length'.format(i))
        self._datasets = datasets

    def __getitem__(self, index):
        batches = [dataset[index] for dataset in self._datasets]
        if isinstance(index, (slice, list, numpy.ndarray)):
            return [tuple([batch[i] for batch in batches]) for i in range(len(batches[0]))]
        return tuple(batches)

    def __len__(self):
        return self._length
