import numpy


class DatasetMixin(object):
    """Slices and lists of indexes for datasets that define get_example()."""

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self.get_example(i) for i in range(*index.indices(len(self)))]
        if isinstance(index, (list, numpy.ndarray)):
            return [self.get_example(i) for i in index]
        return self.get_example(index)

    def __len__(self):
        raise NotImplementedError

    def get_example(self, i):
        raise NotImplementedError
