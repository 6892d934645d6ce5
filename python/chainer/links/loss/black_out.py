# SPDX-License-Identifier: MIT
import numpy

from chainer import link, variable
from chainer import functions as F
from chainer.utils import walker_alias


class BlackOut(link.Link):
    """The BlackOut loss, which samples words in proportion to powers of their counts."""

    sample_data = None

    def __init__(self, in_size, counts, sample_size):
        super(BlackOut, self).__init__()
        self.sampler = walker_alias.WalkerAlias(numpy.array(counts, numpy.float32))
        self.sample_size = sample_size
        with self.init_scope():
            self.W = variable.Parameter(shape=(len(counts), in_size))

    def to_cpu(self):
        self.sampler.to_cpu()
        return super(BlackOut, self).to_cpu()

    def to_gpu(self, device=None):
        self.sampler.to_gpu()
        return super(BlackOut, self).to_gpu(device)

    def forward(self, x, t):
        samples = self.sampler.sample((x.shape[0], self.sample_size)) if self.sample_data is None else self.sample_data
        return F.black_out(x, t, self.W, samples)
