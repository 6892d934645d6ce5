# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import warnings

from chainer.iterators import _prefetching
from chainer.iterators.order_samplers import ShuffleOrderSampler  # NOQA


class MultiprocessIterator(_prefetching.PrefetchingIterator):
    """Batches whose examples are loaded by processes. (Examples are sent by pickle; shared_mem is not used.)"""

    _interruption_testing = False  # prints the workers' process ids, for tests of interruptions

    class TimeoutWarning(RuntimeWarning):
        """A batch took longer than dataset_timeout."""

    def __init__(self, dataset, batch_size, repeat=True, shuffle=None, n_processes=None, n_prefetch=1, shared_mem=None,
                 order_sampler=None, dataset_timeout=30.0):
        import os
        self.n_processes = n_processes or os.cpu_count() or 1
        self.shared_mem, self.dataset_timeout = shared_mem, dataset_timeout
        self._setup(dataset, batch_size, repeat, shuffle, order_sampler, max(n_prefetch, 1))

    def _start(self):
        from concurrent import futures
        executor = futures.ProcessPoolExecutor(self.n_processes, initializer=_begin, initargs=(self.dataset,))
        if self._interruption_testing:
            for work in [executor.submit(_pause) for _ in range(self.n_processes)]:
                work.result()
            print(' '.join([str(pid) for pid in executor._processes]), flush=True)
        return executor

    def _submit(self, indexes):
        size = -(-len(indexes) // self.n_processes)
        return [self._executor.submit(_fetch, indexes[i:i + size]) for i in range(0, len(indexes), size)]

    def _wait(self, work):
        try:
            return self._gather(work)
        except KeyboardInterrupt:  # hanging workers must not keep the program alive
            for process in list((self._executor._processes or {}).values()):
                process.terminate()
            raise

    def _gather(self, work):
        from concurrent import futures
        if self.dataset_timeout is not None:
            _, late = futures.wait(work, self.dataset_timeout)
            if late:
                warnings.warn('Stalled dataset is detected: a batch took longer than {} s to load. The iterator '
                              'keeps waiting; dataset_timeout sets the limit.'.format(self.dataset_timeout),
                              MultiprocessIterator.TimeoutWarning)
        return [example for future in work for example in future.result()]


_dataset = None  # of a worker


def _begin(dataset):
    global _dataset
    import signal
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent stops its workers
    _dataset = dataset


def _pause():
    import time
    time.sleep(0.05)


def _fetch(indexes):
    return [_dataset[i] for i in indexes]
