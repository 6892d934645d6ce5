# SPDX-License-Identifier: MIT
"""Iterators whose batches are prefetched by workers."""
from __future__ import absolute_import

import collections

from chainer.dataset import iterator
from chainer.iterators import _position


class PrefetchingIterator(iterator.Iterator):
    """The batches of SerialIterator, prefetched. The state is that of the last returned batch."""

    _finalized = False
    _executor = None
    _ahead = ()
    _order_names = ('order', '_order')

    def _setup(self, dataset, batch_size, repeat, shuffle, order_sampler, n_prefetch):
        self.dataset, self.batch_size = dataset, batch_size
        self.repeat, self.shuffle = repeat, shuffle
        self.order_sampler = _position.sampler(shuffle, order_sampler)
        self.n_prefetch = n_prefetch
        self._ahead = collections.deque()
        self._rewind()

    def _start(self):
        """The executor of the workers."""
        raise NotImplementedError

    def _submit(self, indexes):
        """Starts fetching examples; returns the argument of _wait()."""
        raise NotImplementedError

    def _wait(self, work):
        raise NotImplementedError

    def __next__(self):
        if not self.repeat and self.epoch > 0:
            self._stop()
            raise StopIteration
        self._fill(1)
        state, work = self._ahead.popleft()
        if isinstance(work, Exception):
            raise work
        batch = self._wait(work)
        self._previous_epoch_detail = self.epoch_detail
        self.current_position, self.epoch, self.is_new_epoch, self._order = state
        self._fill(self.n_prefetch)
        return batch

    next = __next__

    def _fill(self, count):
        while len(self._ahead) < count:
            position, epoch, _, order = self._ahead[-1][0] if self._ahead else (
                self.current_position, self.epoch, None, self._order)
            if not self.repeat and epoch > 0 or self._ahead and isinstance(self._ahead[-1][1], Exception):
                return
            try:
                *state, indexes = _position.advance(
                    position, epoch, order, self._epoch_size, self.batch_size, self.repeat, self.order_sampler)
            except Exception as error:  # raised when the batch is requested
                self._ahead.append(((position, epoch, None, order), error))
                return
            if self._executor is None:
                self._executor = self._start()
            self._ahead.append((tuple(state), self._submit(indexes)))

    @property
    def _epoch_size(self):
        return len(self.dataset) if self._order is None else len(self._order)

    @property
    def epoch_detail(self):
        return self.epoch + self.current_position / self._epoch_size

    @property
    def previous_epoch_detail(self):
        return None if self._previous_epoch_detail < 0 else self._previous_epoch_detail

    def serialize(self, serializer):
        self._forget()
        _position.serialize(self, serializer, self._order_names)

    def _forget(self):
        """Drops prefetched batches, which are fetched again."""
        self._ahead = collections.deque()

    def _stop(self):
        self._forget()
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=True, cancel_futures=True)

    def finalize(self):
        self._stop()
        self._finalized = True

    def reset(self):
        if self._finalized:
            raise NotImplementedError('Reset of finalized {} is currently not supported.'.format(type(self).__name__))
        self._forget()
        self._rewind()

    def _rewind(self):
        self.current_position = 0
        self.epoch = 0
        self.is_new_epoch = False
        self._previous_epoch_detail = -1.
        self._order = _position.first_order(self.order_sampler, self.dataset)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.update(_executor=None, _ahead=collections.deque())
        return state

    def __copy__(self):
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__getstate__())
        return other
