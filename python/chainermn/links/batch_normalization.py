# SPDX-License-Identifier: MIT
import numpy

from chainer import configuration, initializers, link, Parameter
from chainermn.functions.batch_normalization import get_communication_backend, MultiNodeBatchNormalizationFunction


class MultiNodeBatchNormalization(link.Link):
    """Batch normalization by the statistics of the batches of all processes."""

    def __init__(self, size, comm, decay=0.9, eps=2e-5, dtype=numpy.float32, use_gamma=True, use_beta=True,
                 initial_gamma=None, initial_beta=None, communication_backend='auto'):
        super(MultiNodeBatchNormalization, self).__init__()
        get_communication_backend(comm, communication_backend)  # raises for a wrong one
        self.comm, self._communication_backend = comm, communication_backend
        self.avg_mean, self.avg_var = numpy.zeros(size, dtype), numpy.zeros(size, dtype)
        for name in ('avg_mean', 'avg_var'):
            self.register_persistent(name)
        self.N = 0
        self.register_persistent('N')
        self.decay, self.eps = decay, eps
        self._highprec_dtype = numpy.dtype(dtype)
        with self.init_scope():
            if use_gamma:
                gamma = initializers._get_initializer(1 if initial_gamma is None else initial_gamma)
                gamma.dtype = dtype
                self.gamma = Parameter(gamma, size)
            if use_beta:
                beta = initializers._get_initializer(0 if initial_beta is None else initial_beta)
                beta.dtype = dtype
                self.beta = Parameter(beta, size)

    def __deepcopy__(self, memo):
        import copy
        cls = self.__class__
        other = cls.__new__(cls)
        memo[id(self)] = other
        for key, value in self.__dict__.items():  # communicators are shared
            other.__dict__[key] = value if key == 'comm' else copy.deepcopy(value, memo)
        return other

    def forward(self, x, finetune=False):
        gamma = getattr(self, 'gamma', None)
        gamma = self.xp.ones(self.avg_mean.shape, x.dtype) if gamma is None else gamma
        beta = getattr(self, 'beta', None)
        beta = self.xp.zeros(self.avg_mean.shape, x.dtype) if beta is None else beta
        if not configuration.config.train:
            f = MultiNodeBatchNormalizationFunction(self.comm, self.eps, None, None, self.decay,
                                                    self._communication_backend)
            return f(x, gamma, beta, self.avg_mean, self.avg_var)
        decay = self.decay
        if finetune:
            self.N += 1
            decay = 1. - 1. / self.N
        f = MultiNodeBatchNormalizationFunction(self.comm, self.eps, self.avg_mean, self.avg_var, decay,
                                                self._communication_backend)
        return f(x, gamma, beta)

    def start_finetuning(self):
        """Begins averages over all following batches that are called with finetune."""
        self.N = 0
