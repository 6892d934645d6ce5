# SPDX-License-Identifier: MIT
from __future__ import absolute_import

from chainer.iterators import _prefetching
from chainer.iterators.order_samplers import ShuffleOrderSampler  # NOQA


class MultithreadIterator(_prefetching.PrefetchingIterator):
    """Batches whose examples are loaded by threads."""

    _order_names = ('_order', 'order')  # of the release's files

    def __init__(self, dataset, batch_size, repeat=True, shuffle=None, n_threads=1, order_sampler=None):
        self.n_threads = n_threads
        self._setup(dataset, batch_size, repeat, shuffle, order_sampler, 1)

    def finalize(self):
        """Ends the threads; reset() and further batches start others."""
        self._stop()

    def _start(self):
        from concurrent import futures
        return futures.ThreadPoolExecutor(self.n_threads)

    def _submit(self, indexes):
        return [self._executor.submit(self.dataset.__getitem__, i) for i in indexes]

    def _wait(self, work):
        return [future.result() for future in work]
