# SPDX-License-Identifier: MIT
"""Examples in memory that processes share: their arrays are copied once, and not through a pipe."""
from __future__ import absolute_import

import io
import itertools
import mmap
import os
from multiprocessing import reduction

LEAST = 1 << 14  # bytes from which on sharing is faster than a pipe

_serials = itertools.count()


def available():
    return hasattr(os, 'memfd_create')


class Slots(object):
    """Memory in `count` parts of `size` bytes. It has no name, so the system frees it when all processes that have
    mapped it have ended."""

    def __init__(self, size, count):
        self.size = size
        self._free = list(range(count))
        descriptor = os.memfd_create('chainer')
        try:
            os.ftruncate(descriptor, size * count)
            self._memory = mmap.mmap(descriptor, size * count)
        except Exception:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        self._place = ('/proc/{}/fd/{}'.format(os.getpid(), descriptor), next(_serials))

    def __del__(self):
        if hasattr(self, '_descriptor'):
            os.close(self._descriptor)

    def take(self):
        """Returns the number of a free part, or None."""
        return self._free.pop() if self._free else None

    def give(self, slot):
        """Makes a part free."""
        self._free.append(slot)

    def place(self, slot):
        """Returns an argument of pack()."""
        return self._place + (slot * self.size, self.size)

    def read(self, slot, lengths):
        """Returns copies of the buffers that pack() put into a part."""
        buffers, at = [], slot * self.size
        for length in lengths:
            buffers.append(bytearray(memoryview(self._memory)[at:at + length]))
            at += length
        return buffers


_mapped = (None, None, None)  # of a worker: path, serial number, memory


def _map(path, serial):
    global _mapped
    if _mapped[:2] != (path, serial):
        with open(path, 'r+b') as f:
            _mapped = (path, serial, mmap.mmap(f.fileno(), 0))
    return _mapped[2]


def pack(value, place):
    """Returns (pickle, lengths, size): a pickle without the elements of arrays, the lengths of the buffers of elements,
    which are put into a part, and their sum. In place of lengths the buffers are returned if the part is too small or
    there is none."""
    buffers, file = [], io.BytesIO()
    reduction.ForkingPickler(file, 5, True, buffers.append).dump(value)
    raw = [b.raw() for b in buffers]
    size = sum([r.nbytes for r in raw])
    if place is None or not LEAST <= size <= place[3]:
        return file.getvalue(), [bytearray(r) for r in raw], size
    path, serial, at, _ = place
    memory = _map(path, serial)
    for r in raw:
        memory[at:at + r.nbytes] = r
        at += r.nbytes
    return file.getvalue(), [r.nbytes for r in raw], size
