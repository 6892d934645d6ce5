# SPDX-License-Identifier: MIT
import numpy

from chainer import configuration, get_dtype, link
from chainer import functions as F


class DecorrelatedBatchNormalization(link.Link):
    """Whitens groups of channels by the statistics of the batch during training, otherwise by running averages (Huang
    et al., arXiv:1804.08450), as Chainer 7.

    Args:
        size (int): The number of channels.
        groups (int): The number of groups; with None, size / group_size.
        decay (float): The fraction of the running statistics that each step keeps.
        eps (float): Is added to the variances.
        dtype: The dtype of the statistics.
        group_size (int): The channels of a group; 16 if `groups` is None, too.

    :ivar avg_mean: The running means (groups, size / groups).
    :ivar avg_projection: The running projections (groups, size / groups, size / groups).
    :ivar N: The number of batches counted by fine-tuning.
    """

    def __init__(self, size, groups=16, decay=0.9, eps=2e-5, dtype=None, group_size=None):
        super(DecorrelatedBatchNormalization, self).__init__()
        if group_size is None:
            group_size = 16 if groups is None else size // groups if groups > 0 else 0
        if groups is None:
            groups = size // group_size if group_size > 0 else 0
        if groups < 1 or group_size < 1 or groups * group_size != size:
            raise ValueError('DecorrelatedBatchNormalization: the size {} is not groups {} times group_size {}'.format(
                size, groups, group_size))
        dtype = get_dtype(dtype)
        self.groups, self.decay, self.eps = groups, decay, eps
        self.avg_mean = numpy.zeros((groups, group_size), dtype)
        self.avg_projection = numpy.stack([numpy.eye(group_size, dtype=dtype)] * groups)
        self.N = 0
        self.register_persistent('avg_mean')
        self.register_persistent('avg_projection')
        self.register_persistent('N')

    def forward(self, x, finetune=False):
        if not configuration.config.train:
            return F.fixed_decorrelated_batch_normalization(x, self.avg_mean, self.avg_projection, groups=self.groups)
        batches = self.N + 1
        mean, projection = self.avg_mean, self.avg_projection
        if configuration.config.in_recomputing:
            # The first run has updated the averages.
            mean = projection = None
        elif finetune:
            self.N = batches
        return F.decorrelated_batch_normalization(
            x, groups=self.groups, eps=self.eps, running_mean=mean, running_projection=projection,
            decay=1. - 1. / batches if finetune else self.decay)

    def start_finetuning(self):
        self.N = 0
