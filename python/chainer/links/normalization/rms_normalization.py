# SPDX-License-Identifier: MIT
from chainer import functions as F
from chainer import initializers
from chainer import link
from chainer import variable


class RMSNormalization(link.Link):
    """x / sqrt(mean(x^2) + eps) gamma over the last axis (Zhang and Sennrich, arXiv:1910.07467). The size is taken from
    the first input if it is None."""

    def __init__(self, size=None, eps=1e-6, initial_gamma=None):
        super(RMSNormalization, self).__init__()
        with self.init_scope():
            self.gamma = variable.Parameter(
                initializers._get_initializer(1 if initial_gamma is None else initial_gamma))
        self.eps = eps
        if size is not None:
            self.gamma.initialize(size)

    def forward(self, x):
        if not self.gamma._has_array:
            self.gamma.initialize(x.shape[-1])
        return F.rms_normalization(x, self.gamma, self.eps)
