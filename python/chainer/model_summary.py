# SPDX-License-Identifier: MIT
"""A network as a table. The release has no such module."""
import collections

from chainer import _core
from chainer import configuration
from chainer import variable

SummaryRow = collections.namedtuple('SummaryRow', (
    'path', 'type', 'outputs', 'calls', 'parameters', 'shared', 'frozen', 'multiply_adds', 'activation_bytes'))


class ModelSummary(object):
    """The result of summary(): `rows` of the class SummaryRow, one for each link that has parameters, and the totals
    `parameters`, `frozen`, `multiply_adds` and `activation_bytes`. str() is the table."""

    def __init__(self, rows, parameters, frozen, multiply_adds, activation_bytes, text):
        self.rows = [SummaryRow(*row) for row in rows]
        self.parameters, self.frozen = parameters, frozen
        self.multiply_adds, self.activation_bytes = multiply_adds, activation_bytes
        self._text = text

    def __str__(self):
        return self._text


def summary(model, args):
    """Calls a copy of a link once in test mode, and returns what each of its links did.

    Args:
        model (Link): The network. Its uninitialized parameters are initialized with the sizes that follow from `args`.
        args: An array or Variable, or a list of them.
    """
    xs = [variable.as_variable(x) for x in (args if isinstance(args, (tuple, list)) else (args,))]
    with configuration.using_config('train', False):
        return ModelSummary(*_core.summary(model, xs))
