# SPDX-License-Identifier: MIT
import os
import tempfile

from chainer import serializers


def save_and_load(src, dst, filename, saver, loader):
    """Saves one object and loads another from the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, filename)
        saver(path, src)
        loader(path, dst)


def save_and_load_npz(src, dst):
    save_and_load(src, dst, 'tmp.npz', serializers.save_npz, serializers.load_npz)


def save_and_load_hdf5(src, dst):
    save_and_load(src, dst, 'tmp.h5', serializers.save_hdf5, serializers.load_hdf5)
