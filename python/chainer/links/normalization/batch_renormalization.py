# SPDX-License-Identifier: MIT
import numpy

from chainer import configuration
from chainer import functions as F
from chainer.backends import cuda
from chainer.links.normalization import batch_normalization
from chainer.links.normalization.batch_normalization import BatchNormalization  # NOQA


class BatchRenormalization(batch_normalization.BatchNormalization):
    """Batch normalization whose statistics are corrected towards the running averages."""

    def __init__(self, size, rmax=1, dmax=0, decay=0.9, eps=2e-5, dtype=None, use_gamma=True, use_beta=True,
                 initial_gamma=None, initial_beta=None, initial_avg_mean=None, initial_avg_var=None):
        super(BatchRenormalization, self).__init__(size, decay, eps, dtype, use_gamma, use_beta, initial_gamma,
                                                   initial_beta, None, initial_avg_mean, initial_avg_var)
        self.rmax, self.dmax = rmax, dmax

    def forward(self, x, finetune=False):
        gamma, beta = [cuda.like(numpy.full(self.avg_mean.shape, value, x.dtype), self.avg_mean) if p is None else p
                       for p, value in ((self.gamma, 1), (self.beta, 0))]
        if not configuration.config.train:
            return F.fixed_batch_normalization(x, gamma, beta, self.avg_mean, self.avg_var, self.eps)
        if finetune:
            n = self.N + 1
            decay = 1. - 1. / n
            if not configuration.config.in_recomputing:
                self.N = n
        else:
            decay = self.decay
        return F.batch_renormalization(x, gamma, beta, self.rmax, self.dmax, self.eps, self.avg_mean, self.avg_var,
                                       decay, update_statistics=not configuration.config.in_recomputing)
