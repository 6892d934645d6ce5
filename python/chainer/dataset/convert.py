# SPDX-License-Identifier: MIT
import collections

import numpy

from chainer.backends import cuda


def to_device(device, x):
    """Moves the array to a device; -1 is the host, None leaves it unchanged."""
    if device is None:
        return x
    if device < 0:
        return cuda.to_cpu(x) if isinstance(x, cuda.ndarray) else x
    return cuda.to_gpu(x, device)


def concat_examples(batch, device=None, padding=None):
    """Concatenates examples to one array per element; tuples and dictionaries keep their structure."""
    if len(batch) == 0:
        raise ValueError('batch is empty')
    first = batch[0]
    if isinstance(first, tuple):
        paddings = padding if isinstance(padding, tuple) else [padding] * len(first)
        return tuple([to_device(device, _concat_arrays([e[i] for e in batch], paddings[i])) for i in range(len(first))])
    if isinstance(first, dict):
        paddings = padding if isinstance(padding, dict) else {k: padding for k in first}
        return {k: to_device(device, _concat_arrays([e[k] for e in batch], paddings[k])) for k in first}
    return to_device(device, _concat_arrays(batch, padding))


def _concat_arrays(arrays, padding):
    if not isinstance(arrays[0], (numpy.ndarray, cuda.ndarray)):
        arrays = numpy.asarray(arrays)
    if padding is not None:
        return _concat_arrays_with_padding(arrays, padding)
    return cuda.get_array_module(arrays[0]).concatenate([array[None] for array in arrays])


def _concat_arrays_with_padding(arrays, padding):
    shape = tuple([max(lengths) for lengths in zip(*[array.shape for array in arrays])])
    result = cuda.get_array_module(arrays[0]).full((len(arrays),) + shape, padding, dtype=arrays[0].dtype)
    for i, array in enumerate(arrays):
        result[(i,) + tuple([slice(n) for n in array.shape])] = array
    return result


class ConcatWithAsyncTransfer(object):
    """concat_examples() that overlaps with the copy of the previous batch to a GPU; without a GPU,
    concat_examples()."""

    def __init__(self, stream=None, compute_stream=None):
        self._device = None
        self._used = False

    def __call__(self, batch, device=None, padding=None):
        if self._used and device != self._device:
            raise ValueError('device is {}, but was {} before'.format(device, self._device))
        self._device, self._used = device, True
        return concat_examples(batch, device, padding)


class Conveyor(object):
    """Moves arrays to a device, in the order of put() and get(). On the host, get() returns what was put."""

    def __init__(self, device=None, stream=None):
        to_device(device, None)
        self._device, self._stream = device, stream
        self._waiting = collections.deque()

    def put(self, array):
        """Adds an array."""
        self._waiting.append(to_device(self._device, array))

    def get(self):
        """Returns the array that was put first."""
        return self._waiting.popleft()
