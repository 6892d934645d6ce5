# SPDX-License-Identifier: MIT
from chainer import functions as F
from chainer import initializers
from chainer import link
from chainer import variable


class LowRank(link.Chain):
    """Adapts a trained Linear by a product of two small matrices: linear(x) + alpha / rank x down^T up^T with down
    (rank, in) and up (out, rank) (Hu et al., arXiv:2106.09685). W and b of the Linear are constants, without gradients.
    Its weight may be quantized (Dettmers et al., "QLoRA", arXiv:2305.14314); merge() and unmerge() then raise
    RuntimeError.

    It takes the place of the Linear: ``layer.query = L.LowRank(layer.query, 8)``.

    Args:
        linear (Linear): The trained link.
        rank (int): The rank of the product.
        alpha (float): The product is multiplied by alpha / rank; the rank by default.
        dropout (float): Dropout of the input of the product, in training.
        initial_down, initial_up: Initializers. By default `up` is zero, so that initially nothing changes.
    """

    def __init__(self, linear, rank, alpha=None, dropout=0, initial_down=None, initial_up=None):
        super(LowRank, self).__init__()
        if rank < 1:
            raise ValueError('LowRank: the rank must be positive, not {}'.format(rank))
        with self.init_scope():
            self.linear = linear
            self.down = variable.Parameter(initializers._get_initializer(initial_down))
            self.up = variable.Parameter(initializers._get_initializer(0 if initial_up is None else initial_up))
        self._rank, self._dropout = rank, dropout
        self._scale = float(rank if alpha is None else alpha) / rank
        self._original = None
        if linear._has_weight:
            self._initialize()

    def _initialize(self):
        out, size = self.linear._weight_shape
        self.down.initialize((self._rank, size))
        self.up.initialize((out, self._rank))

    def forward(self, x, n_batch_axes=1):
        linear = self.linear
        if not linear._has_weight:
            size = 1
            for n in x.shape[n_batch_axes:]:
                size *= n
            linear._initialize_params(size)
        if not self.down._has_array:
            self._initialize()
        b = None if linear.b is None else linear.b.array
        if linear.quantized is not None:
            y = linear.quantized.linear(x, b, n_batch_axes)
        else:
            y = F.linear(x, linear.W.array, b, n_batch_axes)
        if self.is_merged:
            return y
        few = F.linear(F.dropout(x, self._dropout), self.down, None, n_batch_axes)
        return y + F.linear(few, self.up, None, few.ndim - 1) * self._scale

    @property
    def is_merged(self):
        return self._original is not None

    def _check_is_float(self):
        if self.linear.quantized is not None:
            raise RuntimeError('LowRank: a weight of {} bits can be neither merged nor unmerged'.format(
                self.linear.quantized.bits))

    def merge(self):
        """Adds the product to W, so that a call costs as much as one of the Linear."""
        if self.is_merged:
            raise RuntimeError('LowRank: the weights are merged already')
        if not self.down._has_array:
            raise RuntimeError('LowRank: the sizes are unknown before the first call')
        self._check_is_float()
        self._original = self.linear.W.array
        self.linear.W.array = self._original + (self.up.array @ self.down.array) * self._original.dtype.type(self._scale)

    def unmerge(self):
        """Restores W."""
        if not self.is_merged:
            raise RuntimeError('LowRank: the weights are not merged')
        self._check_is_float()
        self.linear.W.array = self._original
        self._original = None

    def serialize(self, serializer):
        if self.is_merged:
            raise RuntimeError('LowRank: merged weights cannot be told from others in a file; call unmerge(), or save '
                               '`linear`')
        super(LowRank, self).serialize(serializer)
