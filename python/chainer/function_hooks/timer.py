# SPDX-License-Identifier: MIT
import collections
import os
import sys
import time

from chainer import function_hook
from chainer.backends import cuda


def _wait(arrays):
    if cuda.available:
        cuda.get_device_from_array(*[a for a in arrays if a is not None]).synchronize()


class TimerHook(function_hook.FunctionHook):
    """Measures the time of each function; waits for a device before and after functions of its arrays."""

    name = 'TimerHook'
    table = {'sec': 1, 'ms': 10 ** 3, 'us': 10 ** 6, 'ns': 10 ** 9}

    def __init__(self):
        self.call_history = []
        self._running_stack = []
        self._depth = 0
        self._total_time = 0

    def _preprocess(self, in_data):
        _wait(in_data)
        self._running_stack.append(time.time())
        self._depth += 1

    def _postprocess(self, function, in_data):
        _wait(in_data)
        elapsed = time.time() - self._running_stack.pop()
        self._depth -= 1
        self.call_history.append((function._impl_name, elapsed))
        if self._depth == 0:
            self._total_time += elapsed

    def forward_preprocess(self, function, in_data):
        self._preprocess(in_data)

    def backward_preprocess(self, function, in_data, out_grad):
        self._preprocess(in_data)

    def forward_postprocess(self, function, in_data):
        self._postprocess(function, in_data)

    def backward_postprocess(self, function, in_data, out_grad):
        self._postprocess(function, in_data)

    def total_time(self):
        return self._total_time

    def summary(self):
        """Time and number of calls of each function."""
        found = collections.OrderedDict()
        for name, elapsed in self.call_history:
            record = found.setdefault(name, {'elapsed_time': 0, 'occurrence': 0})
            record['elapsed_time'] += elapsed
            record['occurrence'] += 1
        return found

    def _choose_unit(self, second):
        factor = 1
        for unit in ('sec', 'ms', 'us'):
            if second * factor >= 1:
                return factor, unit
            factor *= 1000.0
        return factor, 'ns'

    def print_report(self, unit='auto', file=sys.stdout):
        rows = [('FunctionName', 'ElapsedTime', 'Occurrence')]
        for name, record in self.summary().items():
            second = record['elapsed_time']
            factor, u = self._choose_unit(second) if unit == 'auto' else (self.table[unit], unit)
            rows.append((name, '%3.2f' % (second * factor) + u, str(record['occurrence'])))
        widths = [max([len(r[i]) for r in rows]) for i in range(3)]
        for row in rows:
            file.write('  '.join([c.rjust(w) for c, w in zip(row, widths)]) + os.linesep)
        if hasattr(file, 'flush'):
            file.flush()
