# SPDX-License-Identifier: MIT
import collections
import os
import sys

from chainer import _core
from chainer import function_hook
from chainer.backends import cuda

memory_hook_available = False


class CupyMemoryCumulativeHook(object):
    """Adds up the memory that CuPy allocates. Raises an error without a GPU."""

    name = 'CupyMemoryCumulativeHook'

    def __init__(self):
        cuda.check_cuda_available()


_Call = collections.namedtuple('_Call', 'function used_bytes acquired_bytes depth')


class CupyMemoryProfileHook(function_hook.FunctionHook):
    """Measures by how much the memory of a GPU grows while functions run. Raises an error without a GPU.

    Used bytes are those that arrays hold, acquired ones those that the pool took from the device. The library may
    compute a result at its first use; its memory is then that of the function that runs at this time.
    """

    name = 'CupyMemoryProfileHook'
    _units = ('B', 'KB', 'MB', 'GB', 'TB', 'PB')

    def __init__(self):
        cuda.check_cuda_available()
        self.call_history = []
        self._running = []

    def _preprocess(self, in_data):
        number = cuda.get_device_from_array(*[a for a in in_data if a is not None]).id
        number = cuda.Device().id if number < 0 else number
        self._running.append((number, _bytes(number)))

    def _postprocess(self, function):
        number, (used, held) = self._running.pop()
        used_now, held_now = _bytes(number)
        self.call_history.append(_Call(function._impl_name, max(used_now - used, 0), max(held_now - held, 0),
                                       len(self._running)))

    def forward_preprocess(self, function, in_data):
        self._preprocess(in_data)

    def backward_preprocess(self, function, in_data, out_grad):
        self._preprocess(in_data)

    def forward_postprocess(self, function, in_data):
        self._postprocess(function)

    def backward_postprocess(self, function, in_data, out_grad):
        self._postprocess(function)

    def total_used_bytes(self):
        return sum([c.used_bytes for c in self.call_history if c.depth == 0])

    def total_acquired_bytes(self):
        return sum([c.acquired_bytes for c in self.call_history if c.depth == 0])

    def summary(self):
        """Bytes and number of calls of each function."""
        found = collections.OrderedDict()
        for call in self.call_history:
            record = found.setdefault(call.function, {'used_bytes': 0, 'acquired_bytes': 0, 'occurrence': 0})
            record['used_bytes'] += call.used_bytes
            record['acquired_bytes'] += call.acquired_bytes
            record['occurrence'] += 1
        return found

    def _text(self, size, unit):
        units = list(self._units)
        if unit == 'auto':
            while size >= 1024 and len(units) > 1:
                size, units = size / 1024., units[1:]
            return '%3.2f%s' % (size, units[0])
        return '%3.2f%s' % (size / 1024. ** units.index(unit), unit)

    def print_report(self, unit='auto', file=sys.stdout):
        rows = [('FunctionName', 'UsedBytes', 'AcquiredBytes', 'Occurrence')]
        for name, record in self.summary().items():
            rows.append((name, self._text(record['used_bytes'], unit), self._text(record['acquired_bytes'], unit),
                         str(record['occurrence'])))
        widths = [max([len(row[i]) for row in rows]) for i in range(4)]
        for row in rows:
            file.write('  '.join([cell.rjust(width) for cell, width in zip(row, widths)]) + os.linesep)
        if hasattr(file, 'flush'):
            file.flush()


def _bytes(number):
    """Returns the bytes that arrays on a device hold, and those with the unused ones of its pool."""
    cuda.Device(number).synchronize()
    used, unused = _core.devices.memory(number)
    return used, used + unused
