# SPDX-License-Identifier: MIT
from __future__ import absolute_import

from chainer.dataset import convert
from chainer.training.updaters import standard_updater


class MultiprocessParallelUpdater(standard_updater.StandardUpdater):
    """Several GPUs in several processes with NCCL. Not supported: available() is false."""

    def __init__(self, iterators, optimizer, converter=convert.concat_examples, devices=None, auto_new_epoch=True):
        raise Exception('NCCL is not enabled. MultiprocessParallelUpdater requires NCCL.')

    @staticmethod
    def available():
        return False

    def setup_workers(self):
        raise RuntimeError('NCCL is not enabled')


def _only_gpu(name):
    def refuse(link, *arrays):
        raise RuntimeError('{} works only on GPU'.format(name))
    refuse.__name__ = name
    return refuse


def size_num_grads(link):
    """Returns the number of elements of a link's gradients and the number of the parameters that have one."""
    sizes = [p.size for p in link.params() if p.size > 0]
    return sum(sizes), len(sizes)


gather_grads = _only_gpu('gather_grads')
gather_params = _only_gpu('gather_params')
scatter_grads = _only_gpu('scatter_grads')
scatter_params = _only_gpu('scatter_params')
