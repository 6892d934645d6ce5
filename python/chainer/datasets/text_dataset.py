# SPDX-License-Identifier: MIT
import io
import os
import threading

from chainer.dataset import dataset_mixin


class TextDataset(dataset_mixin.DatasetMixin):
    """Lines of one text file, or tuples of the lines of several."""

    def __init__(self, paths, encoding=None, errors=None, newline=None, filter_func=None):
        if isinstance(paths, str):
            paths = [paths]
        elif not paths:
            raise ValueError('at least one text file must be specified')
        self._paths = [os.path.abspath(p) for p in paths]
        options = [self._spread(value, len(paths)) for value in (encoding, errors, newline)]
        self._encoding, self._errors, self._newline = options
        self._fps = None
        self._open()
        try:
            self._starts = self._index(filter_func)
        except BaseException:
            self.close()
            raise
        self._lock = threading.Lock()

    @staticmethod
    def _spread(value, count):
        if value is None or isinstance(value, str):
            return [value] * count
        if len(value) != count:
            raise ValueError('{} options for {} files'.format(len(value), count))
        return value

    def _open(self):
        self._owner = os.getpid()
        self._fps = [io.open(path, encoding=e, errors=r, newline=n) for path, e, r, n in zip(
            self._paths, self._encoding, self._errors, self._newline)]

    def _index(self, filter_func):
        """Returns the offsets of the lines: a tuple for each example."""
        starts, lines = [], []
        for fp in self._fps:
            fp.seek(0)
            positions, texts = [], []
            while True:
                position = fp.tell()
                line = fp.readline()
                if not line:
                    break
                positions.append(position)
                if filter_func is not None:
                    texts.append(line)
            starts.append(positions)
            lines.append(texts)
        if len({len(positions) for positions in starts}) > 1:
            raise ValueError('number of lines in files does not match: {}'.format(
                ', '.join(['{} ({})'.format(len(p), path) for p, path in zip(starts, self._paths)])))
        examples = list(zip(*starts))
        if filter_func is not None:
            examples = [e for e, texts in zip(examples, zip(*lines)) if filter_func(*texts)]
        return examples

    def __len__(self):
        return len(self._starts)

    def get_example(self, idx):
        if idx < 0 or idx >= len(self._starts):
            raise IndexError('dataset index out of range')
        with self._lock:
            if self._owner != os.getpid():  # processes share the position in a file that was open when they began
                self._open()
            lines = []
            for fp, position in zip(self._fps, self._starts[idx]):
                fp.seek(position)
                lines.append(fp.readline())
        return lines[0] if len(lines) == 1 else tuple(lines)

    def close(self):
        """Closes the files, all of them even if one fails."""
        failure = None
        for fp in self._fps or ():
            try:
                fp.close()
            except Exception as error:
                failure = error
        if failure is not None:
            raise failure

    def __getstate__(self):
        state = self.__dict__.copy()
        state.update(_fps=None, _lock=None)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._open()
        self._lock = threading.Lock()
