# SPDX-License-Identifier: MIT
from chainer import configuration
from chainer import functions as F
from chainer import link
from chainer.links.attention.multi_head_attention import AttentionCache, MultiHeadAttention
from chainer.links.connection.linear import Linear
from chainer.links.normalization.layer_normalization import LayerNormalization


class _Layer(link.Chain):
    """The parts that layers of encoders and decoders share."""

    def __init__(self, size, heads, feedforward, dropout, activation, norm_first, eps, kv_heads, causal, rotary,
                 nobias):
        super(_Layer, self).__init__()
        with self.init_scope():
            self.attention = MultiHeadAttention(size, heads, kv_heads, causal, dropout, nobias, rotary)
            self.linear1 = Linear(size, 4 * size if feedforward is None else feedforward, nobias)
            self.linear2 = Linear(None, size, nobias)
            self.norm1 = LayerNormalization(size, eps)
            self.norm2 = LayerNormalization(size, eps)
        self._activation, self._dropout, self._norm_first = activation, dropout, norm_first

    def _connected(self, x, norm, part):
        """Adds a part of the layer, with dropout, to x; normalizes x before it, or the sum."""
        def normalized(y):
            return F.reshape(norm(F.reshape(y, (-1, y.shape[-1]))), y.shape)
        if self._norm_first:
            return x + F.dropout(part(normalized(x)), self._dropout)
        return normalized(x + F.dropout(part(x), self._dropout))

    def _feedforward(self, y):
        h = self._activation(self.linear1(y, n_batch_axes=2))
        return self.linear2(F.dropout(h, self._dropout), n_batch_axes=2)


class TransformerEncoderLayer(_Layer):
    """Self-attention and two products with an activation, each with dropout, a connection around it and a
    LayerNormalization (Vaswani et al., arXiv:1706.03762; with `norm_first` Xiong et al., arXiv:2002.04745).

    Args:
        size, heads (int): See MultiHeadAttention.
        feedforward (int): Features between the two products; four times the size by default.
        dropout (float): Dropout in training.
        activation: A function between the two products. F.swiglu and other gated units halve the features.
        norm_first (bool): Normalizes the input of each part, else the sum of its input and its result.
        eps (float): Of the normalizations.
        kv_heads (int), causal, rotary, nobias (bool): See MultiHeadAttention.
    """

    def __init__(self, size, heads, feedforward=None, dropout=0.1, activation=F.relu, norm_first=False, eps=1e-5,
                 kv_heads=None, causal=False, rotary=False, nobias=False):
        super(TransformerEncoderLayer, self).__init__(
            size, heads, feedforward, dropout, activation, norm_first, eps, kv_heads, causal, rotary, nobias)

    def forward(self, x, mask=None, cache=None):
        h = self._connected(x, self.norm1, lambda y: self.attention(y, mask=mask, cache=cache))
        return self._connected(h, self.norm2, self._feedforward)


class TransformerDecoderLayer(_Layer):
    """As TransformerEncoderLayer, with causal self-attention and, after it, attention to a memory (N, S, any size)."""

    def __init__(self, size, heads, feedforward=None, dropout=0.1, activation=F.relu, norm_first=False, eps=1e-5,
                 kv_heads=None, causal=True, rotary=False, nobias=False):
        super(TransformerDecoderLayer, self).__init__(
            size, heads, feedforward, dropout, activation, norm_first, eps, kv_heads, True, rotary, nobias)
        with self.init_scope():
            self.memory_attention = MultiHeadAttention(size, heads, dropout=dropout, nobias=nobias)
            self.norm3 = LayerNormalization(size, eps)

    def forward(self, x, memory, mask=None, cache=None, memory_mask=None, memory_cache=None):
        lengths = [c.length if c is not None else 0 for c in (cache, memory_cache)]
        try:
            h = self._connected(x, self.norm1, lambda y: self.attention(y, mask=mask, cache=cache))
            h = self._connected(h, self.norm2, lambda y: self.memory_attention(
                y, memory, mask=memory_mask, cache=memory_cache))
            return self._connected(h, self.norm3, self._feedforward)
        except BaseException:
            _restore((cache, memory_cache), lengths)
            raise


def _restore(caches, lengths):
    for c, length in zip(caches, lengths):
        if c is not None:
            c.truncate(min(length, c.length))


class _Stack(link.Chain):

    def __init__(self, make, layers, size, norm, checkpoint, options):
        super(_Stack, self).__init__()
        if layers < 0:
            raise ValueError('transformer: the number of layers must not be negative, got {}'.format(layers))
        norm = options.get('norm_first', False) if norm is None else norm
        with self.init_scope():
            self.layers = link.ChainList(*[make() for _ in range(layers)])
            if norm:
                self.norm = LayerNormalization(size, options.get('eps', 1e-5))
        self._checkpoint, self._has_norm = checkpoint, norm

    def _caches(self, caches):
        """Returns one cache for each layer; fills an empty list."""
        if caches is None:
            return [None] * len(self.layers)
        if not caches:
            caches.extend([AttentionCache() for _ in self.layers])
        if len(caches) != len(self.layers):
            raise ValueError('transformer: expected {} caches, one for each layer, got {}'.format(
                len(self.layers), len(caches)))
        return caches

    def _through(self, x, caches, call):
        lengths = [c.length if c is not None else 0 for c in caches]
        try:
            for i, layer in enumerate(self.layers):
                x = call(i, layer, x)
        except BaseException:
            _restore(caches, lengths)
            raise
        if not self._has_norm:
            return x
        return F.reshape(self.norm(F.reshape(x, (-1, x.shape[-1]))), x.shape)

    def _forgets(self, caches):
        return self._checkpoint and configuration.config.train and all([c is None for c in caches])


class TransformerEncoder(_Stack):
    """`layers` layers of the class TransformerEncoderLayer, and a LayerNormalization of the result.

    Args:
        layers, size, heads (int): The number of layers, and the arguments of each.
        norm (bool): Normalizes the result; by default if the layers normalize their inputs (`norm_first`).
        checkpoint (bool): In training, keeps only the inputs of the layers and computes each layer again during backward
            (F.forget).
        options: Keyword arguments of TransformerEncoderLayer.
    """

    def __init__(self, layers, size, heads, norm=None, checkpoint=False, **options):
        super(TransformerEncoder, self).__init__(
            lambda: TransformerEncoderLayer(size, heads, **options), layers, size, norm, checkpoint, options)

    def forward(self, x, mask=None, caches=None):
        """`caches` is a list, which gets an AttentionCache for each layer and is extended by the positions of x."""
        caches = self._caches(caches)

        def call(i, layer, h):
            if self._forgets(caches):
                return F.forget(lambda y: layer(y, mask), h)
            return layer(h, mask, caches[i])
        return self._through(x, caches, call)


class TransformerDecoder(_Stack):
    """As TransformerEncoder, of layers of the class TransformerDecoderLayer, which attend to a memory (N, S, any
    size)."""

    def __init__(self, layers, size, heads, norm=None, checkpoint=False, **options):
        super(TransformerDecoder, self).__init__(
            lambda: TransformerDecoderLayer(size, heads, **options), layers, size, norm, checkpoint, options)

    def forward(self, x, memory, mask=None, caches=None, memory_mask=None, memory_caches=None):
        """`memory_caches` is filled by the first call."""
        caches, memory_caches = self._caches(caches), self._caches(memory_caches)

        def call(i, layer, h):
            if self._forgets(list(caches) + list(memory_caches)):
                return F.forget(lambda y, m: layer(y, m, mask, None, memory_mask), h, memory)
            return layer(h, memory, mask, caches[i], memory_mask, memory_caches[i])
        return self._through(x, list(caches) + list(memory_caches), call)
