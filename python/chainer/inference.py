# SPDX-License-Identifier: MIT
"""Networks prepared for inference. The release has no such module."""
import collections

import numpy

from chainer import _core
from chainer import configuration
from chainer import links
from chainer import onnx
from chainer.backends import cuda


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


QuantizedWeight = collections.namedtuple('QuantizedWeight', ['path', 'bytes_before', 'bytes_after', 'error'])


def quantize_weights(model, *, bits=4, group=64, search=True, least_size=1024, takes=None):
    """Replaces the weights of all Linear and EmbedID of a model, in place, by integers of 4 or 8 bits with a scale for
    each group of a row (L.Linear.quantize()). Activations stay floating. With few rows, as in the generation of text,
    the time of a product is that of reading the weights, which then have 4.5 or 8.5 bits instead of 32.

    Args:
        model (Link): A trained model.
        bits (int): 4 or 8.
        group (int): The number of elements of a row that share a scale, a multiple of 8.
        search (bool): Chooses scales by the least squares of errors; otherwise by the largest absolute value.
        least_size (int): Weights with fewer elements stay float32.
        takes: A function of the path of a link that returns whether its weight is replaced; by default all are.

    Returns a list of tuples (path, bytes_before, bytes_after, error), with the relative error of each weight. Weights
    of links that were not called yet, and those of classes with a forward() of their own, stay. To load a saved model,
    build it, call quantize_weights() with the same options, and load the file. Raises ValueError for options out of
    range and weights that are not finite, RuntimeError for a weight that a hook computes with, before the first is
    replaced.
    """
    if bits not in (4, 8):
        raise ValueError('quantize_weights: weights have 4 or 8 bits, not {}'.format(bits))
    if group < 8 or group % 8:
        raise ValueError('quantize_weights: a group has a positive multiple of 8 elements, not {}'.format(group))
    chosen = []
    for path, link in model.namedlinks():
        # (Other classes may read W.)
        if getattr(type(link), 'forward', None) not in (links.Linear.forward, links.EmbedID.forward):
            continue
        if takes is not None and not takes(path):
            continue
        if link.quantized is not None or not link.W._has_array or link.W.size < least_size:
            continue
        why = link._why_not_quantized()
        if why:
            raise RuntimeError('quantize_weights: {}: {}'.format(path, why))
        largest = float(abs(link.W.array).max())
        if not numpy.isfinite(largest):
            raise ValueError('quantize_weights: {}: {}: a weight is {}, expected finite numbers'.format(
                path, type(link).__name__, largest))
        chosen.append((path, link))
    out = []
    for path, link in chosen:
        before = link.W.array
        link.quantize(bits, group, search)
        values = cuda.to_cpu(before).astype(numpy.float32)
        squares = float(numpy.square(values, dtype=numpy.float64).sum())
        wrong = float(numpy.square(link.quantized.to_float() - values, dtype=numpy.float64).sum())
        error = (wrong / squares) ** 0.5 if squares else 0.
        out.append(QuantizedWeight(path, before.nbytes, link.quantized.nbytes, error))
    return out
