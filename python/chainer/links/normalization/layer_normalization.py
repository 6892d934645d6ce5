# SPDX-License-Identifier: MIT
from chainer import initializers, link, utils, variable
from chainer import functions as F


class LayerNormalization(link.Link):
    """Normalization of each row, with a scale and a bias."""

    def __init__(self, size=None, eps=1e-6, initial_gamma=None, initial_beta=None):
        super(LayerNormalization, self).__init__()
        with self.init_scope():
            self.gamma = variable.Parameter(
                initializers._get_initializer(1 if initial_gamma is None else initial_gamma))
            self.beta = variable.Parameter(initializers._get_initializer(0 if initial_beta is None else initial_beta))
        self.eps = eps
        if size is not None:
            self._initialize_params(size)

    def _initialize_params(self, size):
        self.gamma.initialize(size)
        self.beta.initialize(size)

    def forward(self, x):
        if not self.gamma._has_array:
            self._initialize_params(utils.size_of_shape(x.shape[1:]))
        return F.layer_normalization(x, self.gamma, self.beta, self.eps)
