# SPDX-License-Identifier: MIT
class Iterator(object):
    """The interface of iterators over batches."""

    def __del__(self):
        self.finalize()

    def __iter__(self):
        return self

    def __next__(self):
        raise NotImplementedError

    def next(self):
        return self.__next__()

    def finalize(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        self.finalize()

    def serialize(self, serializer):
        pass
