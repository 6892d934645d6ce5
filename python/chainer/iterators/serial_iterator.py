# SPDX-License-Identifier: MIT
import chainer
from chainer.dataset import iterator
from chainer.iterators import _position
from chainer.iterators.order_samplers import ShuffleOrderSampler  # NOQA


class SerialIterator(iterator.Iterator):
    """Sequential batches; with repeat the last batch of an epoch continues with examples of the next epoch."""

    def __init__(self, dataset, batch_size, repeat=True, shuffle=None, order_sampler=None):
        self.dataset, self.batch_size = dataset, batch_size
        self._repeat, self._shuffle = repeat, shuffle
        self.order_sampler = _position.sampler(shuffle, order_sampler)
        self.reset()

    def __next__(self):
        n = self._epoch_size
        if not self._repeat and self.epoch > 0:
            raise StopIteration
        self._previous_epoch_detail = self.epoch_detail
        i, i_end = self.current_position, self.current_position + self.batch_size
        batch = self._take(i, min(i_end, n))
        if i_end < n:
            self.is_new_epoch = False
            self.current_position = i_end
            return batch
        if self._repeat:
            rest = i_end - n
            self._order = _position.next_order(self.order_sampler, self._order, i)
            if rest:
                batch = list(batch)
                batch.extend(self._take(0, rest))
            self.current_position = rest
        else:
            self.current_position = 0
        self.epoch += 1
        self.is_new_epoch = True
        return batch

    next = __next__

    def _take(self, start, stop):
        if self._order is None:
            batch = self.dataset[start:stop]
            return batch if isinstance(batch, chainer.get_array_types()) else list(batch)
        return [self.dataset[index] for index in self._order[start:stop]]

    @property
    def _epoch_size(self):
        return len(self.dataset) if self._order is None else len(self._order)

    @property
    def repeat(self):
        return self._repeat

    @property
    def epoch_detail(self):
        return self.epoch + self.current_position / self._epoch_size

    @property
    def previous_epoch_detail(self):
        return None if self._previous_epoch_detail < 0 else self._previous_epoch_detail

    def serialize(self, serializer):
        _position.serialize(self, serializer)

    def reset(self):
        self.current_position = 0
        self.epoch = 0
        self.is_new_epoch = False
        self._previous_epoch_detail = -1.
        self._order = _position.first_order(self.order_sampler, self.dataset)
