# SPDX-License-Identifier: MIT
"""Files of arrays in NumPy's formats."""
import numpy

from chainer.backends.device_arrays._array import asnumpy, send

__all__ = ['save', 'savez', 'savez_compressed', 'load']


def save(file, arr):
    """Writes an array to an .npy file."""
    numpy.save(file, asnumpy(arr))


def savez(file, *args, **kwds):
    """Writes arrays to an .npz file."""
    numpy.savez(file, *[asnumpy(a) for a in args], **{name: asnumpy(a) for name, a in kwds.items()})


def savez_compressed(file, *args, **kwds):
    """Writes arrays to a compressed .npz file."""
    numpy.savez_compressed(file, *[asnumpy(a) for a in args], **{name: asnumpy(a) for name, a in kwds.items()})


def load(file, mmap_mode=None):
    """Reads an array of an .npy file, or the arrays of an .npz file, which are read when their names are asked for."""
    found = numpy.load(file, mmap_mode)
    return send(found) if isinstance(found, numpy.ndarray) else _Npz(found)


class _Npz(object):
    def __init__(self, file):
        self.npz_file, self.files, self.close = file, file.files, file.close

    def __enter__(self):
        return self

    def __exit__(self, *info):
        self.close()

    def __getitem__(self, key):
        return send(self.npz_file[key])

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def __contains__(self, key):
        return key in self.npz_file

    def keys(self):
        return list(self.files)

    def items(self):
        return [(name, self[name]) for name in self.files]
