# SPDX-License-Identifier: MIT
import numpy

from chainer import link, variable
from chainer import functions as F
from chainer.utils import walker_alias


class NegativeSampling(link.Link):
    """The loss of negative sampling, which samples words in proportion to powers of their counts."""

    def __init__(self, in_size, counts, sample_size, power=0.75, dtype=None):
        super(NegativeSampling, self).__init__()
        self.sample_size = sample_size
        p = numpy.array(counts, numpy.float32)
        self.sampler = walker_alias.WalkerAlias(numpy.power(p, numpy.float32(power)))
        with self.init_scope():
            self.W = variable.Parameter(0, (len(counts), in_size))

    def to_cpu(self):
        self.sampler.to_cpu()
        return super(NegativeSampling, self).to_cpu()

    def to_gpu(self, device=None):
        self.sampler.to_gpu()
        return super(NegativeSampling, self).to_gpu(device)

    def forward(self, x, t, reduce='sum', **kwargs):
        return F.negative_sampling(x, t, self.W, self.sampler.sample, self.sample_size, reduce=reduce)
