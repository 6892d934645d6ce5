from chainer.dataset import dataset_mixin


class TransformDataset(dataset_mixin.DatasetMixin):
    """A dataset whose examples go through a function."""

    def __init__(self, dataset, transform):
        self._dataset, self._transform = dataset, transform

    def __len__(self):
        return len(self._dataset)

    def get_example(self, i):
        return self._transform(self._dataset[i])
