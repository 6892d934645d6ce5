# SPDX-License-Identifier: MIT
from chainer import initializers, link, variable
from chainer import functions as F


class GroupNormalization(link.Link):
    """Normalization of groups of channels, with a scale and a bias."""

    def __init__(self, groups, size=None, eps=1e-5, initial_gamma=None, initial_beta=None):
        super(GroupNormalization, self).__init__()
        self.groups, self.eps = groups, eps
        with self.init_scope():
            self.gamma = variable.Parameter(
                initializers._get_initializer(1 if initial_gamma is None else initial_gamma))
            self.beta = variable.Parameter(initializers._get_initializer(0 if initial_beta is None else initial_beta))
        if size is not None:
            self._initialize_params(size)

    def _initialize_params(self, size):
        self.gamma.initialize(size)
        self.beta.initialize(size)

    def forward(self, x):
        if x.ndim <= 2:
            raise ValueError('x must have more than two axes (the first is the batch), not {}'.format(x.ndim))
        if not self.gamma._has_array:
            self._initialize_params(x.shape[1])
        return F.group_normalization(x, self.groups, self.gamma, self.beta, self.eps)
