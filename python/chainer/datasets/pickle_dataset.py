# SPDX-License-Identifier: MIT
import os
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


class _FileReader(object):
    """A file that another process can open again."""

    def __init__(self, path):
        self._path = path if isinstance(path, int) else os.path.abspath(path)
        self.after_fork()

    def after_fork(self):
        if '_file' not in self.__dict__ or not isinstance(self._path, int):  # (a descriptor stays shared)
            self._file = open(self._path, 'rb')

    def __getattr__(self, name):
        if name == '_file':  # not yet open
            raise AttributeError(name)
        return getattr(self._file, name)


class PickleDataset(dataset_mixin.DatasetMixin):
    """Objects written by a PickleDatasetWriter, read when they are accessed.

    A reader's method after_fork(), if it has one, is called in each process that was forked from the one that opened
    it.
    """

    def __init__(self, reader):
        if not reader.seekable():
            raise ValueError('reader must be seekable')
        self._reader, self._owner = reader, os.getpid()
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
            if self._owner != os.getpid():  # processes share the position in a file that was open when they began
                if hasattr(self._reader, 'after_fork'):
                    self._reader.after_fork()
                self._owner = os.getpid()
            self._reader.seek(self._positions[index])
            return pickle.load(self._reader)

    def close(self):
        with self._lock:
            self._reader.close()


def open_pickle_dataset(path):
    """Opens a file as a dataset; the caller must close it."""
    return PickleDataset(_FileReader(path))


def open_pickle_dataset_writer(path, protocol=pickle.HIGHEST_PROTOCOL):
    """Opens a writer of a file; the caller must close it."""
    return PickleDatasetWriter(open(path, 'wb'), protocol)
