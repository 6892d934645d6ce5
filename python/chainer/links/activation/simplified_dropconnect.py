# SPDX-License-Identifier: MIT
from chainer import initializers, link, utils, variable
from chainer import functions as F


class SimplifiedDropconnect(link.Link):
    """A linear map whose weights are set to zero at random during training."""

    def __init__(self, in_size, out_size, ratio=.5, nobias=False, initialW=None, initial_bias=None):
        super(SimplifiedDropconnect, self).__init__()
        self.out_size, self.ratio = out_size, ratio
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

    def forward(self, x, train=True, mask=None, use_batchwise_mask=True):
        if not self.W._has_array:
            self._initialize_params(utils.size_of_shape(x.shape[1:]))
        if isinstance(mask, variable.Variable):
            mask = mask.array
        return F.simplified_dropconnect(x, self.W, self.b, self.ratio, train, mask, use_batchwise_mask)
