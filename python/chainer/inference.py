# SPDX-License-Identifier: MIT
"""Networks prepared for inference. The release has no such module."""
from chainer import _core
from chainer import configuration
from chainer import onnx


class Prepared(object):
    """A prepared network, made by prepare(). Computes in test mode without a graph. Any number of threads may call it at
    the same time; the interpreter's lock is released meanwhile."""

    def __init__(self, prepared):
        self._prepared = prepared

    def __call__(self, *inputs):
        """Returns the output for ndarrays, or a tuple of all outputs if there are several."""
        ys = self._prepared([getattr(x, 'array', x) for x in inputs])
        return ys[0] if len(ys) == 1 else ys

    def warm_up(self, *inputs):
        """Makes the next call with inputs of these shapes fast."""
        self._prepared.warm_up([getattr(x, 'array', x) for x in inputs])

    def refused_replay(self):
        """Returns the reason why calls run the operators instead of a replay, or an empty text."""
        return self._prepared.refused_replay()

    def operator_count(self):
        """Returns the number of operators of a call."""
        return self._prepared.operator_count()


def prepare(model, args=(), *, dynamic_batch=True, dynamic_axes=()):
    """Prepares a trained network for inference: constants are folded, batch normalization becomes part of the weights,
    and from the second call with a shape on, the computation is replayed in memory that is planned once.

    Args:
        model: A link, a function on Variables, a chainer.onnx.Model, or the path of an ONNX file.
        args: Example inputs of a link: an array or Variable, or a list of them.
        dynamic_batch (bool): Allows any length of the first axis of the inputs; warns if that is impossible.
        dynamic_axes: Other axes of any length, as in chainer.onnx.export_model().

    The weights are copies: further training does not change the prepared network. Raises ValueError for functions
    without an ONNX equivalent, and for a link that reads numbers that depend on its inputs outside of functions.
    """
    if isinstance(model, (str, bytes)) or hasattr(model, '__fspath__'):
        model = onnx.Model(model)
    with configuration.using_config('train', False):
        return Prepared(_core.onnx.prepare(
            onnx._exported(model), onnx._inputs(args), dynamic_batch, list(dynamic_axes)))
