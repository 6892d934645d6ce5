# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import numpy

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


def size_num_grads(link):
    """Returns the number of elements of a link's gradients and the number of the parameters that have one."""
    sizes = [p.size for p in link.params() if p.size > 0]
    return sum(sizes), len(sizes)


def _gather(link, name, arrays_of):
    if link.xp is numpy:
        raise RuntimeError('{} works only on GPU'.format(name))
    return link.xp.concatenate([arrays_of(p).ravel() for _, p in sorted(link.namedparams()) if p.size > 0])


def _scatter(link, array, name, set_array):
    if link.xp is numpy:
        raise RuntimeError('{} works only on GPU'.format(name))
    begin = 0
    for _, p in sorted(link.namedparams()):
        if p.size > 0:
            set_array(p, array[begin:begin + p.size].reshape(p.shape).astype(p.dtype))
            begin += p.size


def gather_grads(link):
    """Returns the gradients of a link on a GPU in one array."""
    return _gather(link, 'gather_grads', lambda p: p.grad)


def gather_params(link):
    """Returns the parameters of a link on a GPU in one array."""
    return _gather(link, 'gather_params', lambda p: p.array)


def scatter_grads(link, array):
    """Sets the gradients of a link from the array of gather_grads()."""
    _scatter(link, array, 'scatter_grads', lambda p, a: setattr(p, 'grad', a))


def scatter_params(link, array):
    """Sets the parameters of a link from the array of gather_params()."""
    _scatter(link, array, 'scatter_params', lambda p, a: setattr(p, 'array', a))
