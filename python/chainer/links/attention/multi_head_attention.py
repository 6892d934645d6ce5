# SPDX-License-Identifier: MIT
import numpy

from chainer import functions as F
from chainer import link
from chainer import variable
from chainer.backends import cuda
from chainer.links.connection.linear import Linear


class AttentionCache(object):
    """The keys and values (N, heads, L, size of a head) of the positions that a MultiHeadAttention has seen, so that a
    sequence is generated without computing them again. They are constants: gradients do not pass through a cache."""

    def __init__(self):
        self._keys = self._values = None
        self.length = 0

    def append(self, k, v):
        """Adds the keys and values of the next positions."""
        k, v = k.array, v.array
        xp = cuda.get_array_module(k)
        length = self.length + k.shape[2]
        room = 0 if self._keys is None else self._keys.shape[2]
        if length > room:  # by half more, so that a long sequence is copied a few times only
            room = max(length, room + room // 2)
            larger = [xp.zeros(a.shape[:2] + (room,) + a.shape[3:], a.dtype) for a in (k, v)]
            if self.length:
                larger[0][:, :, :self.length] = self.keys()
                larger[1][:, :, :self.length] = self.values()
            self._keys, self._values = larger
        self._keys[:, :, self.length:length] = k
        self._values[:, :, self.length:length] = v
        self.length = length

    def keys(self):
        return self._keys[:, :, :self.length]

    def values(self):
        return self._values[:, :, :self.length]

    def select(self, examples):
        """Replaces the examples by those at these indices, as beam search does."""
        if self.length:
            self._keys, self._values = self._keys[examples], self._values[examples]

    def truncate(self, length):
        """Removes the positions from `length` on."""
        if not 0 <= length <= self.length:
            raise ValueError('AttentionCache: a length of {} is not in 0 ... {}'.format(length, self.length))
        self.length = length
        if length == 0:
            self._keys = self._values = None


class MultiHeadAttention(link.Chain):
    """output(attention(query(x), key(m), value(m))) with `heads` heads of size / heads features, for x (N, L, size) and
    m = memory (N, S, any size), or m = x if no memory is given (Vaswani et al., arXiv:1706.03762).

    Args:
        size (int): Features of x and of the result.
        heads (int): A divisor of `size`.
        kv_heads (int): Heads of keys and values, a divisor of `heads`; as many by default.
        causal (bool): A position attends to itself and to earlier ones only.
        dropout (float): Dropout of the probabilities in training.
        nobias (bool): The products have no bias.
        rotary (bool): Rotary embeddings of queries and keys, with the base `base`.
        initialW: The initializer of the weights.
    """

    def __init__(self, size, heads, kv_heads=None, causal=False, dropout=0, nobias=False, rotary=False, base=10000,
                 initialW=None):
        super(MultiHeadAttention, self).__init__()
        kv_heads = heads if kv_heads is None else kv_heads
        if heads < 1 or size < 1 or size % heads:
            raise ValueError('MultiHeadAttention: {} heads do not divide a size of {}'.format(heads, size))
        if kv_heads < 1 or heads % kv_heads:
            raise ValueError('MultiHeadAttention: {} heads of keys do not divide {} heads'.format(kv_heads, heads))
        if rotary and size // heads % 2:
            raise ValueError('MultiHeadAttention: rotary embeddings need heads of an even size, not {}'.format(
                size // heads))
        narrow = size // heads * kv_heads
        with self.init_scope():
            self.query = Linear(size, size, nobias, initialW)
            self.key = Linear(None, narrow, nobias, initialW)
            self.value = Linear(None, narrow, nobias, initialW)
            self.output = Linear(size, size, nobias, initialW)
        self._size, self._heads, self._kv_heads = size, heads, kv_heads
        self._causal, self._dropout, self._rotary, self._base = causal, dropout, rotary, base

    def forward(self, x, memory=None, mask=None, cache=None):
        """Returns (N, L, size). `mask` is that of F.scaled_dot_product_attention for scores (N, heads, L, S). With a
        cache, the keys and values of x are appended to it, and x attends to all of them; those of a memory are computed
        only if the cache is empty."""
        before = 0 if cache is None else cache.length
        try:
            return self._attend(variable.as_variable(x), memory, mask, cache)
        except BaseException:
            if cache is not None:
                cache.truncate(min(before, cache.length))
            raise

    def _attend(self, x, memory, mask, cache):
        if x.ndim != 3:
            raise ValueError('MultiHeadAttention: x must have three axes (N, L, size), not the shape {}'.format(x.shape))
        n, length, _ = x.shape
        start = cache.length if cache is not None and memory is None else 0

        def heads(y, count):
            return F.transpose(F.reshape(y, (y.shape[0], y.shape[1], count, y.shape[2] // count)), (0, 2, 1, 3))

        def turned(y):
            if not self._rotary or memory is not None:
                return y
            places = cuda.like(numpy.arange(start, start + length), y.array) if self.xp is not numpy else (
                numpy.arange(start, start + length))
            return F.rotary_embedding(y, base=self._base, positions=places)
        q = turned(heads(self.query(x, n_batch_axes=2), self._heads))
        if memory is None or cache is None or not cache.length:
            source = x if memory is None else memory
            k = turned(heads(self.key(source, n_batch_axes=2), self._kv_heads))
            v = heads(self.value(source, n_batch_axes=2), self._kv_heads)
            if cache is not None:
                cache.append(k, v)
        if cache is not None:
            k, v = cache.keys(), cache.values()
        y = F.scaled_dot_product_attention(
            q, k, v, mask=mask, causal=self._causal and memory is None, dropout=self._dropout)
        return self.output(F.reshape(F.transpose(y, (0, 2, 1, 3)), (n, length, self._size)), n_batch_axes=2)
