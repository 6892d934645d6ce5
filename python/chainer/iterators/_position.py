# SPDX-License-Identifier: MIT
"""The position of an iterator: common helpers of iterators."""
import numpy

from chainer.iterators.order_samplers import ShuffleOrderSampler


def sampler(shuffle, order_sampler):
    """Returns the order sampler for the arguments of an iterator; None keeps the dataset's order."""
    if shuffle is not None and order_sampler is not None:
        raise ValueError('`shuffle` is not `None` and a custom `order_sampler` is set. Please set `shuffle` to '
                         '`None` to use the custom order sampler.')
    if shuffle or shuffle is None and order_sampler is None:
        return ShuffleOrderSampler()
    return order_sampler


def next_order(order_sampler, order, position):
    """Returns the order of the next epoch."""
    if order is None:
        return None
    made = order_sampler(order, position)
    if len(made) != len(order):
        raise ValueError('The size of order does not match the size of the previous order.')
    return made


def serialize(iterator, serializer, names=('order', '_order')):
    """Saves or loads position, epoch and order, which has one of the names; older files lack some entries."""
    iterator.current_position = serializer('current_position', iterator.current_position)
    iterator.epoch = serializer('epoch', iterator.epoch)
    iterator.is_new_epoch = serializer('is_new_epoch', iterator.is_new_epoch)
    if iterator._order is not None:
        try:
            iterator._order = serializer(names[0], iterator._order)
        except KeyError:
            iterator._order = serializer(names[1], iterator._order)
    try:
        iterator._previous_epoch_detail = serializer('previous_epoch_detail', iterator._previous_epoch_detail)
    except KeyError:  # estimated
        detail = iterator.epoch_detail
        before = detail - iterator.batch_size / iterator._epoch_size
        iterator._previous_epoch_detail = max(before, 0.) if detail > 0 else -1.


def advance(position, epoch, order, size, batch_size, repeat, order_sampler):
    """Advances by one batch; returns (position, epoch, is_new_epoch, order, indexes of the batch)."""
    stop = position + batch_size
    indexes = _indexes(order, position, min(stop, size))
    if stop < size:
        return stop, epoch, False, order, indexes
    rest = 0
    if repeat:
        rest = stop - size
        order = next_order(order_sampler, order, position)
        indexes.extend(_indexes(order, 0, min(rest, size)))
    return rest, epoch + 1, True, order, indexes


def _indexes(order, start, stop):
    return list(range(start, stop)) if order is None else list(order[start:stop])


def first_order(order_sampler, dataset):
    return None if order_sampler is None else order_sampler(numpy.arange(len(dataset)), 0)
