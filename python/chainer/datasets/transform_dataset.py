# SPDX-License-Identifier: MIT
from chainer.dataset import dataset_mixin


class TransformDataset(dataset_mixin.DatasetMixin):
    """Applies a function to the examples of a dataset."""

    def __init__(self, dataset, transform):
        self._dataset, self._transform = dataset, transform

    def __len__(self):
        return len(self._dataset)

    def get_example(self, i):
        return self._transform(self._dataset[i])
