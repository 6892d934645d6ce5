# SPDX-License-Identifier: MIT
import numpy


class OrderSampler(object):
    """Determines the order of the examples in an epoch."""

    def __call__(self, current_order, current_position):
        raise NotImplementedError


class ShuffleOrderSampler(OrderSampler):
    """A new random order in each epoch."""

    def __init__(self, random_state=None):
        self._random = numpy.random.random.__self__ if random_state is None else random_state

    def __call__(self, current_order, current_position):
        return self._random.permutation(len(current_order))
