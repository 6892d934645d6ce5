# SPDX-License-Identifier: MIT
import importlib.util

import numpy

from chainer import backend
from chainer import serializer
from chainer.backends import cuda


_available = importlib.util.find_spec('h5py') is not None


def _check_available():
    """Returns h5py, imported at first use."""
    if not _available:
        raise RuntimeError('h5py is not installed on your environment.')
    import h5py
    return h5py


def __getattr__(name):
    if name == 'h5py' and _available:
        return _check_available()
    raise AttributeError('module {} has no attribute {!r}'.format(__name__, name))


class HDF5Serializer(serializer.Serializer):
    """Saves into a group of an HDF5 file."""

    def __init__(self, group, compression=4):
        _check_available()
        self.group, self.compression = group, compression

    def __getitem__(self, key):
        return HDF5Serializer(self.group.require_group(key), self.compression)

    def __call__(self, key, value):
        if value is None:  # a dataset without a value, as the release writes it
            self.group.create_dataset(key, data=_check_available().Empty('f'))
            return value
        arr = backend.to_numpy(value)
        if arr.dtype.kind in 'OU':
            raise TypeError('an array of {} cannot be saved in HDF5'.format(arr.dtype))
        compression = None if arr.size <= 1 else self.compression
        self.group.create_dataset(key, data=arr, compression=compression)
        return value


def save_hdf5(filename, obj, compression=4):
    """Saves an object into an HDF5 file."""
    h5py = _check_available()
    with h5py.File(filename, 'w') as f:
        HDF5Serializer(f, compression=compression).save(obj)


class HDF5Deserializer(serializer.Deserializer):
    """Loads from a group of an HDF5 file."""

    def __init__(self, group, strict=True):
        _check_available()
        self.group, self.strict = group, strict

    def __getitem__(self, key):
        if not self.strict and key not in self.group:
            return _Nothing()
        if key not in self.group:
            raise ValueError('the file has no group {!r}'.format(key))
        return HDF5Deserializer(self.group[key], strict=self.strict)

    def __call__(self, key, value):
        key = key.lstrip('/')
        if not self.strict and key not in self.group:
            return value
        if key not in self.group and value is None:
            return None
        dataset = self.group[key]
        if dataset.shape is None:
            return None
        if value is None:
            return numpy.asarray(dataset)
        if isinstance(value, numpy.ndarray):
            if value.size:
                dataset.read_direct(value)
            return value
        if isinstance(value, cuda.ndarray):
            value[...] = numpy.asarray(dataset)
            return value
        return type(value)(numpy.asarray(dataset)[()])


class _Nothing(serializer.Deserializer):
    def __getitem__(self, key):
        return self

    def __call__(self, key, value):
        return value


def load_hdf5(filename, obj):
    """Loads an object from an HDF5 file."""
    h5py = _check_available()
    with h5py.File(filename, 'r') as f:
        HDF5Deserializer(f).load(obj)
