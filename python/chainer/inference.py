# SPDX-License-Identifier: MIT
"""Networks prepared for inference. The release has no such module."""
import collections

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


QuantizedLayer = collections.namedtuple('QuantizedLayer', ['name', 'op', 'quantized', 'reason', 'error'])


class Quantized(Prepared):
    """A network with integers of eight bits, made by quantize(). It is called as a prepared network.

    Attributes:
        layers: Its layers in the order of the computation, as tuples (name, op, quantized, reason, error): the path of
            the weights or the name of the result, the ONNX operator, whether it computes with integers, the reason if
            it does not, and the relative error of its result in the first batch.
    """

    def __init__(self, quantized):
        super(Quantized, self).__init__(quantized.network())
        self._quantized = quantized
        self.layers = [QuantizedLayer(*layer) for layer in quantized.layers()]

    def report(self):
        """Returns the layers as a table."""
        return self._quantized.report()

    def save(self, file):
        """Writes an ONNX file with QuantizeLinear and DequantizeLinear, which prepare() reads."""
        self._quantized.save(file)


def quantize(model, batches, *, calibration='least_squares', percentile=99.99, leave=(), dynamic_batch=True):
    """Converts a trained network to integers of eight bits. Convolutions, affine maps, additions and pooling compute with
    them, other functions in float32.

    Args:
        model: A link, a function on Variables, or a chainer.onnx.Model.
        batches: Examples, from which the ranges of activations are found: a list with the inputs of each call, which
            are an array or Variable, or a list of them.
        calibration (str): The range of an activation: of all values (``'largest'``), of a part of them
            (``'percentile'``), or that with the smallest error (``'least_squares'``).
        percentile (float): That part, in percent.
        leave: Names of layers that stay in float32.
        dynamic_batch (bool): As in prepare().

    Raises ValueError as prepare(), without batches, for values that are not finite, and for unknown names.
    """
    with configuration.using_config('train', False):
        return Quantized(_core.onnx.quantize(
            onnx._exported(model), [onnx._inputs(batch) for batch in batches], calibration, percentile, list(leave),
            dynamic_batch))
