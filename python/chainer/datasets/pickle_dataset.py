# SPDX-License-Identifier: MIT
import pickle
import threading

from chainer.dataset import dataset_mixin


class PickleDatasetWriter(object):
    """Writes objects for a PickleDataset."""

    def __init__(self, writer, protocol=pickle.HIGHEST_PROTOCOL):
        self._writer, self._protocol = writer, protocol
        self._positions = []

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        self.close()

    def write(self, x):
        pickle.dump(x, self._writer, protocol=self._protocol)

    def flush(self):
        self._writer.flush()

    def close(self):
        self._writer.close()


class PickleDataset(dataset_mixin.DatasetMixin):
    """Objects written by a PickleDatasetWriter, read when they are accessed."""

    def __init__(self, reader):
        if not reader.seekable():
            raise ValueError('reader must be seekable')
        self._reader = reader
        self._lock = threading.RLock()
        self._positions = []
        reader.seek(0)
        while True:
            position = reader.tell()
            try:
                pickle.load(reader)
            except EOFError:
                break
            self._positions.append(position)

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        self.close()

    def __len__(self):
        return len(self._positions)

    def get_example(self, index):
        with self._lock:
            self._reader.seek(self._positions[index])
            return pickle.load(self._reader)

    def close(self):
        with self._lock:
            self._reader.close()


def open_pickle_dataset(path):
    """Opens a file as a dataset; the caller must close it."""
    return PickleDataset(open(path, 'rb'))


def open_pickle_dataset_writer(path, protocol=pickle.HIGHEST_PROTOCOL):
    """Opens a writer of a file; the caller must close it."""
    return PickleDatasetWriter(open(path, 'wb'), protocol)
