# SPDX-License-Identifier: MIT
import os
import pickletools

import numpy

import chainer
from chainer import backend
from chainer import serializer
from chainer import variable
from chainer.utils import _replaced


class DictionarySerializer(serializer.Serializer):
    """Saves into a dictionary of arrays, whose keys are paths."""

    def __init__(self, target=None, path=''):
        self.target = {} if target is None else target
        self.path = path

    def __getitem__(self, key):
        return DictionarySerializer(self.target, self.path + key.strip('/') + '/')

    def __call__(self, key, value):
        key = key.lstrip('/')
        saved = value.array if isinstance(value, variable.Variable) else value
        self.target[self.path + key] = backend.to_numpy(saved) if saved is not None else numpy.asarray(None)
        return value


def save_npz(file, obj, compression=True):
    """Saves an object into an NPZ file atomically."""
    s = DictionarySerializer()
    s.save(obj)
    write = numpy.savez_compressed if compression else numpy.savez
    if not isinstance(file, (str, bytes, os.PathLike)):
        write(file, **s.target)
        return
    with _replaced.replaced(file, 'wb') as f:
        write(f, **s.target)


def _is_none(member):
    """Returns true if the bytes of a member are a pickled array of one None. Nothing is executed to find out."""
    end = 10 + int.from_bytes(member[8:10], 'little')  # NumPy's header of version 1
    if not member.startswith(b'\x93NUMPY\x01') or b"'shape': ()" not in member[:end]:
        return False
    try:
        words = [word.name for word, _, _ in pickletools.genops(member[end:])]
    except Exception:  # not a pickle
        return False
    words = [word for word in words if 'PUT' not in word and word != 'MEMOIZE']
    return words[-5:] == ['NONE', 'APPEND', 'TUPLE', 'BUILD', 'STOP'] and words[-6] in ('EMPTY_LIST', 'LIST')


def _member(npz, key):
    """Returns the array of a key. A stored None is recognized; other pickles are refused, since loading them runs
    code."""
    try:
        return npz[key]
    except ValueError as error:
        archive = getattr(npz, 'zip', None)
        if archive is None or getattr(npz, 'allow_pickle', False):
            raise
        if _is_none(archive.read(key + '.npy')):
            return numpy.asarray(None)
        raise ValueError("'{}' is stored as a pickle, which can run code when it is loaded: {}".format(key, error))


class NpzDeserializer(serializer.Deserializer):
    """Loads from a dictionary of arrays, or from an NPZ file."""

    def __init__(self, npz, path='', strict=True, ignore_names=None):
        self.npz, self.path, self.strict = npz, path, strict
        if ignore_names is None:
            ignore_names = []
        self.ignore_names = ignore_names

    def __getitem__(self, key):
        return NpzDeserializer(self.npz, self.path + key.strip('/') + '/', self.strict, self.ignore_names)

    def __call__(self, key, value):
        key = self.path + key.lstrip('/')
        if not self.strict and key not in self.npz:
            return value
        names = self.ignore_names if isinstance(self.ignore_names, (tuple, list)) else (self.ignore_names,)
        for name in names:
            if not (isinstance(name, str) or callable(name)):
                raise ValueError(
                    'load_npz: ignore_names must be a name, a callable or a list of these, not {!r}'.format(
                        self.ignore_names))
            if name == key or callable(name) and name(key):
                return value
        dataset = _member(self.npz, key)
        if dataset[()] is None:
            return None
        if value is None:
            return dataset
        if isinstance(value, chainer.get_array_types()):
            backend.copyto(value, dataset)
            return value
        return type(value)(numpy.asarray(dataset)[()] if dataset.ndim == 0 else dataset)


def load_npz(file, obj, path='', strict=True, ignore_names=None):
    """Loads an object from an NPZ file. Raises ValueError for pickles other than None, which are never executed."""
    with numpy.load(file, allow_pickle=False) as f:
        NpzDeserializer(f, path=path, strict=strict, ignore_names=ignore_names).load(obj)
