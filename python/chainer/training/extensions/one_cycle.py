# SPDX-License-Identifier: MIT
import math

from chainer.training.extensions import _schedule


class OneCycle(_schedule.Schedule):
    """The 1cycle policy (Smith and Topin, arXiv:1708.07120) over max_count iterations: the value climbs to max_value
    and comes down to almost nothing. Iteration number t (from 0) has the value of PyTorch's OneCycleLR after t steps.

    Args:
        attr (str): The hyperparameter, as ``'lr'``.
        max_value (float): The highest value.
        max_count (int): The number of iterations.
        pct_start (float): The part of the calls in which the value climbs.
        div_factor (float): It starts at max_value / div_factor ...
        final_div_factor (float): ... and ends at the start's value / final_div_factor.
        linear (bool): Straight lines instead of half cosines.
        optimizer: The optimizer; the trainer's main one by default.
    """

    def __init__(self, attr, max_value, max_count, pct_start=0.3, div_factor=25., final_div_factor=1e4, linear=False,
                 optimizer=None):
        super(OneCycle, self).__init__(attr, optimizer=optimizer)
        if max_count < 2 or not 0 <= pct_start <= 1:
            raise ValueError('OneCycle: max_count must be 2 or more and pct_start from 0 to 1; got {} and {}'.format(
                max_count, pct_start))
        if not (max_value > 0 and div_factor > 0 and final_div_factor > 0):
            raise ValueError('OneCycle: values must be positive; max_value is {}, div_factor {}, final_div_factor '
                             '{}'.format(max_value, div_factor, final_div_factor))
        self._max_value, self._max_count, self._pct_start = max_value, max_count, pct_start
        self._div_factor, self._final_div_factor, self._linear = div_factor, final_div_factor, linear

    def _first(self):
        return self._value()

    def _value(self):
        start = self._max_value / self._div_factor
        end = start / self._final_div_factor
        last = float(self._max_count - 1)
        top = min(self._pct_start * self._max_count - 1, last)
        now = min(float(self._t), last)
        climbing = now < top or now == top > 0
        before, after = (start, self._max_value) if climbing else (self._max_value, end)
        if climbing:
            part = now / top
        else:
            part = (now - top) / (last - top) if last > top else 1.
        if self._linear:
            return before + (after - before) * part
        return after + (before - after) / 2 * (1 + math.cos(math.pi * part))
