# SPDX-License-Identifier: MIT
from chainer import _core
from chainer import serializer as serializers


class Quantizable(object):
    """Base of links with a matrix W that may be replaced by integers of few bits."""

    _quantized = None

    @property
    def quantized(self):
        """The quantized weight, with the attributes bits, group, shape, values and scales; or None."""
        return self._quantized

    @property
    def _has_weight(self):
        return self._quantized is not None or self.W._has_array

    @property
    def _weight_shape(self):
        return self.W.shape if self._quantized is None else self._quantized.shape

    def _why_not_quantized(self):
        """Returns why the weight cannot be quantized, or None."""
        name = type(self).__name__
        if self._quantized is not None:
            return '{}: the weight has {} bits already'.format(name, self._quantized.bits)
        if not self.W._has_array:
            return '{}: the size of W is unknown before the first call'.format(name)
        for hook_name, hook in self.local_link_hooks.items():
            if not getattr(hook, 'allows_quantized', lambda link: True)(self):
                return '{}: the hook {} computes with W; delete it before W is quantized'.format(name, hook_name)
        return None

    def quantize(self, bits=8, group=64, search=True):
        """Replaces W by integers of few bits with a scale for each group of a row. From then on W is None, and files
        hold W_values and W_scales in its place; b is kept. Products with few rows of x then take the time of reading
        the integers. To load a saved link, quantize a new one with the same options before.

        Args:
            bits (int): 4 or 8.
            group (int): The number of elements of a row that share a scale, a multiple of 8.
            search (bool): Chooses scales by the least squares of errors; otherwise by the largest absolute value.

        Raises RuntimeError if W is uninitialized or quantized already or a hook computes with it, ValueError for
        options out of range and weights that are not finite.
        """
        why = self._why_not_quantized()
        if why:
            raise RuntimeError(why)
        self._quantized = _core.QuantizedMatrix(self.W.array, bits, group, search, type(self).__name__)
        del self.W
        self.W = None

    def serialize(self, serializer):
        super(Quantizable, self).serialize(serializer)
        self._serialize_quantized(serializer)

    def _serialize_quantized(self, serializer):
        if self._quantized is None:
            return
        saves = isinstance(serializer, serializers.Serializer)
        found = {}
        for name in ('values', 'scales'):
            value = serializer('W_' + name, getattr(self._quantized, name) if saves else None)
            found[name] = getattr(self._quantized, name) if value is None else value
        if not saves:
            self._quantized = self._quantized.replaced(**found)

    def copyparams(self, link, copy_persistent=True):
        super(Quantizable, self).copyparams(link, copy_persistent)
        if copy_persistent and self._quantized is not None:
            self._quantized = self._quantized.replaced(link._quantized.values, link._quantized.scales)

    def to_cpu(self):
        super(Quantizable, self).to_cpu()
        if self._quantized is not None:
            self._quantized = self._quantized.to_device(-1)
        return self

    def to_gpu(self, device=None):
        super(Quantizable, self).to_gpu(device)
        if self._quantized is not None:
            self._quantized = self._quantized.to_device(self._device_id)
        return self
