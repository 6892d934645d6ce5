# SPDX-License-Identifier: MIT
import sys

from chainer import function_hook
from chainer import variable
from chainer.backends import cuda


class PrintHook(function_hook.FunctionHook):
    """Prints each function's inputs in forward, and the gradients of its outputs in backward."""

    name = 'PrintHook'

    def __init__(self, sep=None, end='\n', file=sys.stdout, flush=True):
        self.sep, self.end, self.file, self.flush = sep, end, file, flush

    def _print(self, msg):
        self.file.write(msg + self.end)

    def _process(self, function, in_data, out_grad=None):
        self._print('function\t{}'.format(function.label))
        self._print('input data')
        for x in in_data:
            self._print('(removed)' if x is None else variable.Variable(x).debug_print())
        if out_grad is not None:
            self._print('output gradient')
            for g in out_grad:
                self._print('None' if g is None else variable.Variable(
                    cuda.get_array_module(g).zeros_like(g), grad=g).debug_print())
        if self.flush and hasattr(self.file, 'flush'):
            self.file.flush()

    def forward_preprocess(self, function, in_data):
        self._process(function, in_data)

    def backward_preprocess(self, function, in_data, out_grad):
        self._process(function, in_data, out_grad)
