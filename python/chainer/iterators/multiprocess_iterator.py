# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import pickle
import warnings

from chainer.iterators import _prefetching
from chainer.iterators import _shared_memory
from chainer.iterators.order_samplers import ShuffleOrderSampler  # NOQA


class MultiprocessIterator(_prefetching.PrefetchingIterator):
    """Batches whose examples are loaded by processes, which put arrays into shared memory.

    `shared_mem` is the memory of each example in bytes; by default it is found from the batches. Batches that need more,
    and small ones, are sent through pipes."""

    _interruption_testing = False  # prints the workers' process ids, for tests of interruptions
    _slots = None  # the shared memory
    _slot_size = 0  # that the batches so far need

    class TimeoutWarning(RuntimeWarning):
        """A batch took longer than dataset_timeout."""

    def __init__(self, dataset, batch_size, repeat=True, shuffle=None, n_processes=None, n_prefetch=1, shared_mem=None,
                 order_sampler=None, dataset_timeout=30.0):
        import os
        self.n_processes = n_processes or os.cpu_count() or 1
        self.shared_mem, self.dataset_timeout = shared_mem, dataset_timeout
        if shared_mem:
            self._slot_size = shared_mem * -(-batch_size // self.n_processes)
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
        if self._slot_size and _shared_memory.available() and (
                self._slots is None or self._slots.size < self._slot_size):
            self._slots = _shared_memory.Slots(self._slot_size, (self.n_prefetch + 1) * self.n_processes)
        size = -(-len(indexes) // self.n_processes)
        return [self._submit_part(indexes[i:i + size]) for i in range(0, len(indexes), size)]

    def _submit_part(self, indexes):
        slots = self._slots
        slot = slots.take() if slots is not None else None
        place = slots.place(slot) if slot is not None else None
        return self._executor.submit(_fetch, indexes, place), slots, slot

    def _forget(self):
        if self._ahead:
            self._slots = None  # workers may still write to it
        super(MultiprocessIterator, self)._forget()

    def __getstate__(self):
        return dict(super(MultiprocessIterator, self).__getstate__(), _slots=None)

    def _wait(self, work):
        try:
            return self._gather(work)
        except Exception:
            self._slots = None  # other parts of the batch may still be written
            raise
        except KeyboardInterrupt:  # hanging workers must not keep the program alive
            for process in list((self._executor._processes or {}).values()):
                process.terminate()
            raise

    def _gather(self, work):
        from concurrent import futures
        if self.dataset_timeout is not None:
            _, late = futures.wait([part[0] for part in work], self.dataset_timeout)
            if late:
                warnings.warn('Stalled dataset is detected: a batch took longer than {} s to load. The iterator '
                              'keeps waiting; dataset_timeout sets the limit.'.format(self.dataset_timeout),
                              MultiprocessIterator.TimeoutWarning)
        examples = []
        for future, slots, slot in work:
            pickled, buffers, size = future.result()
            if buffers and isinstance(buffers[0], int):
                buffers = slots.read(slot, buffers)
            if slot is not None:
                slots.give(slot)
            examples += pickle.loads(pickled, buffers=buffers)
            if self.shared_mem is None and size > max(self._slot_size, _shared_memory.LEAST):
                self._slot_size = 2 * size  # later examples may be larger; memory that is not written to costs nothing
        return examples


_dataset = None  # of a worker


def _begin(dataset):
    global _dataset
    import signal
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent stops its workers
    _dataset = dataset


def _pause():
    import time
    time.sleep(0.05)


def _fetch(indexes, place):
    return _shared_memory.pack([_dataset[i] for i in indexes], place)
