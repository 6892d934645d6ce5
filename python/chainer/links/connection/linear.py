# SPDX-License-Identifier: MIT
from chainer import initializers, link, utils, variable
from chainer import functions as F
from chainer.links.connection import _quantizable


class Linear(_quantizable.Quantizable, link.Link):
    """x W^T + b. With in_size None the first input determines it."""

    def __init__(self, in_size, out_size=None, nobias=False, initialW=None, initial_bias=None):
        super(Linear, self).__init__()
        if out_size is None:
            in_size, out_size = None, in_size
        self.in_size, self.out_size = in_size, out_size
        with self.init_scope():
            self.W = variable.Parameter(initializers._get_initializer(initialW))
            if in_size is not None:
                self._initialize_params(in_size)
            if nobias:
                self.b = None
            else:
                self.b = variable.Parameter(
                    initializers._get_initializer(0 if initial_bias is None else initial_bias), out_size)

    def _initialize_params(self, in_size):
        self.W.initialize((self.out_size, in_size))

    def forward(self, x, n_batch_axes=1):
        if self._quantized is not None:
            return self._quantized.linear(x, self.b, n_batch_axes)
        if not self.W._has_array:
            self._initialize_params(utils.size_of_shape(x.shape[n_batch_axes:]))
        return F.linear(x, self.W, self.b, n_batch_axes=n_batch_axes)
