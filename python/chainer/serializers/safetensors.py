# SPDX-License-Identifier: MIT
"""Files in the safetensors format: named arrays, without code. The release has no such module."""
import os

import numpy

from chainer import _core
from chainer.serializers import npz

SafetensorsFile = _core.SafetensorsFile


def save_safetensors(file, obj, metadata=None):
    """Saves the arrays of an object under their paths (predictor/l1/W), atomically; numbers are arrays of shape ().
    `metadata` is a dict of texts. Raises ValueError for an uninitialized parameter."""
    s = npz.DictionarySerializer()
    s.save(obj)
    arrays, texts = {}, dict(metadata or {})
    for key, value in s.target.items():
        value = numpy.asarray(value)
        if value.dtype.kind in 'US':
            texts[key] = str(value[()])
        elif value.dtype.kind == 'O':
            raise ValueError("safetensors: '{}' is None or another object that the format cannot contain".format(key))
        else:
            arrays[key] = numpy.ascontiguousarray(value).reshape(value.shape)
    _core.write_safetensors(os.fspath(file), arrays, texts)


class _Arrays(object):
    """The contents of a file for NpzDeserializer."""

    def __init__(self, file):
        self._file, self._texts = file, file.metadata
        self.used = set()

    def __contains__(self, key):
        return key in self._file or key in self._texts

    def __getitem__(self, key):
        if key not in self:
            raise KeyError('{} is not in the file'.format(key))
        self.used.add(key)
        return self._file[key] if key in self._file else numpy.asarray(self._texts[key])

    def unused(self):
        return sorted(set(self._file.keys()) - self.used)


def load_safetensors(file, obj, strict=True, weight_names='own', names=None):
    """Loads an object from a safetensors file.

    Args:
        file: A path.
        obj: A link; with `weight_names='own'` any object with serialize().
        strict (bool): Values that are missing in the file, and arrays of the file without a value in the object, are
            errors.
        weight_names (str): The names and layouts of the file: ``'own'`` for files of save_safetensors() or of the C++
            library, ``'pytorch'`` (``predictor.l1.weight``) or ``'keras'`` (``predictor/l1/kernel``) for files of these
            frameworks, whose weights are converted by the class of each link. The normalizations of PyTorch have
            eps = 1e-5, which is not in the file.
        names (dict): For other frameworks: paths of links or values, and their names in the file, as
            ``{'l1': 'features.0'}``.

    With names of another framework, all mismatches are one ValueError, and nothing is changed; returns the lists of
    loaded, missing and unused names.
    """
    f = SafetensorsFile(os.fspath(file))
    if weight_names != 'own':
        return _core.load_safetensors(f, obj, weight_names, strict, dict(names or {}))
    if names:
        raise ValueError("load_safetensors: names are those of another framework; set weight_names")
    arrays = _Arrays(f)
    npz.NpzDeserializer(arrays, strict=strict).load(obj)
    if strict and arrays.unused():
        raise ValueError('safetensors: {} has arrays that the object does not have: {}'.format(
            file, ', '.join(arrays.unused())))
