# SPDX-License-Identifier: MIT
import numpy

from chainer.backends import cuda
from chainer.training import extension


def _namedpersistents(model):
    for path, child in sorted(model.namedlinks()):
        for name in sorted(child._persistent):
            yield path + '/' + name, getattr(child, name)


class AllreducePersistent(extension.Extension):
    """Averages floating-point persistent arrays, such as those of batch normalization, over all processes."""

    trigger = (1, 'epoch')
    priority = extension.PRIORITY_WRITER + 1  # before evaluators

    def __init__(self, model, comm):
        self.model, self.comm = model, comm

    def __call__(self, trainer=None):
        for _, array in _namedpersistents(self.model):
            if isinstance(array, (numpy.ndarray, cuda.ndarray)) and array.dtype == numpy.float32:
                array[...] = self.comm.allreduce(array) / self.comm.size
