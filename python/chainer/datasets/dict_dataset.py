# SPDX-License-Identifier: MIT
class DictDataset(object):
    """Examples that are dictionaries of elements of several datasets."""

    def __init__(self, **datasets):
        if not datasets:
            raise ValueError('no datasets are given')
        length = None
        for key, dataset in datasets.items():
            if length is None:
                length = len(dataset)
            elif length != len(dataset):
                raise ValueError('dataset length conflicts at "{}"'.format(key))
        self._datasets, self._length = datasets, length

    def __getitem__(self, index):
        batches = {key: dataset[index] for key, dataset in self._datasets.items()}
        if isinstance(index, slice):
            length = len(next(iter(batches.values())))
            return [{key: batch[i] for key, batch in batches.items()} for i in range(length)]
        return batches

    def __len__(self):
        return self._length
