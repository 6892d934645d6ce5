# SPDX-License-Identifier: MIT
"""Pictures from files and ZIP archives (requires Pillow)."""
import bisect
import importlib.util
import io
import os
import threading

import numpy

from chainer.dataset import dataset_mixin


available = importlib.util.find_spec('PIL') is not None


def _check_pillow_availability():
    try:
        import PIL.Image  # NOQA
    except ImportError as error:
        raise ImportError('PIL cannot be loaded. Install Pillow! The import fails with: ' + str(error))


def _dtype(dtype):
    from chainer import get_dtype
    return get_dtype(dtype)


def _read(file, dtype):
    """A picture of shape (channels, height, width)."""
    from PIL import Image
    with Image.open(file) as picture:
        image = numpy.asarray(picture, dtype=dtype)
    if image.ndim == 2:
        image = image[:, :, numpy.newaxis]
    return image.transpose(2, 0, 1)


def _lines(path):
    with open(path) as f:
        return [line.strip() for line in f if line.strip()]


def _pairs(pairs):
    if not isinstance(pairs, str):
        return pairs
    found = []
    for number, line in enumerate(_lines(pairs)):
        parts = line.split()
        if len(parts) != 2:
            raise ValueError('invalid format at line {} in file {}'.format(number, pairs))
        found.append((parts[0], int(parts[1])))
    return found


class ImageDataset(dataset_mixin.DatasetMixin):
    """Pictures from a list of paths, or from a file that lists paths."""

    def __init__(self, paths, root='.', dtype=None):
        _check_pillow_availability()
        self._paths = _lines(paths) if isinstance(paths, str) else paths
        self._root, self._dtype = root, _dtype(dtype)

    def __len__(self):
        return len(self._paths)

    def get_example(self, i):
        return _read(os.path.join(self._root, self._paths[i]), self._dtype)


class LabeledImageDataset(dataset_mixin.DatasetMixin):
    """Pictures with labels, from pairs or from a file with a path and a label in each line."""

    def __init__(self, pairs, root='.', dtype=None, label_dtype=numpy.int32):
        _check_pillow_availability()
        self._pairs = _pairs(pairs)
        self._root, self._dtype, self._label_dtype = root, _dtype(dtype), label_dtype

    def __len__(self):
        return len(self._pairs)

    def get_example(self, i):
        path, label = self._pairs[i]
        return _read(os.path.join(self._root, path), self._dtype), numpy.array(label, dtype=self._label_dtype)


class ZippedImageDataset(dataset_mixin.DatasetMixin):
    """The pictures of a ZIP archive, by index or name."""

    def __init__(self, zipfilename, dtype=None):
        _check_pillow_availability()
        import zipfile
        self._zipfilename, self._dtype = zipfilename, _dtype(dtype)
        self._lock = threading.Lock()
        self._zf = self._owner = None
        with zipfile.ZipFile(zipfilename) as archive:
            self._paths = [name for name in archive.namelist() if not name.endswith('/')]

    def __len__(self):
        return len(self._paths)

    def get_example(self, i_or_filename):
        name = i_or_filename if isinstance(i_or_filename, str) else self._paths[i_or_filename]
        with self._lock:
            if self._owner != os.getpid():  # each process opens the file itself
                import zipfile
                self._zf, self._owner = zipfile.ZipFile(self._zipfilename), os.getpid()
            content = self._zf.read(name)
        return _read(io.BytesIO(content), self._dtype)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.update(_lock=None, _zf=None, _owner=None)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._lock = threading.Lock()


class MultiZippedImageDataset(dataset_mixin.DatasetMixin):
    """The pictures of several ZIP archives."""

    def __init__(self, zipfilenames, dtype=None):
        self._zfs = [ZippedImageDataset(name, dtype) for name in zipfilenames]
        self._zpaths_accumlens = [0]
        for archive in self._zfs:
            self._zpaths_accumlens.append(self._zpaths_accumlens[-1] + len(archive))

    def __len__(self):
        return self._zpaths_accumlens[-1]

    def get_example(self, i):
        which = bisect.bisect(self._zpaths_accumlens, i) - 1
        return self._zfs[which].get_example(i - self._zpaths_accumlens[which])


class LabeledZippedImageDataset(dataset_mixin.DatasetMixin):
    """Pictures of a ZIP archive with labels from a file."""

    def __init__(self, zipfilename, labelfilename, dtype=None, label_dtype=numpy.int32):
        self._zf = ZippedImageDataset(zipfilename, dtype)
        self._pairs = _pairs(labelfilename)
        self._label_dtype = label_dtype

    def __len__(self):
        return len(self._pairs)

    def get_example(self, i):
        path, label = self._pairs[i]
        return self._zf.get_example(path), numpy.array(label, dtype=self._label_dtype)
