# SPDX-License-Identifier: MIT
import math

from chainer.training.extensions import _decay


class CosineShift(_decay.Decay):
    """Cosine annealing (Loshchilov and Hutter, arXiv:1608.03983) after a linear warm-up.

    Args:
        attr (str): The hyperparameter, as ``'lr'``.
        max_count (int): The number of calls until the value is `target`.
        init (float): The highest value; the optimizer's by default.
        target (float): The value from `max_count` calls on.
        warmup (int): The number of calls in which the value climbs from `warmup_start` to `init`.
        warmup_start (float): The value before the first call, if there is a warm-up.
        optimizer: The optimizer; the trainer's main one by default.
    """

    def _shape(self, p):
        return (1 + math.cos(math.pi * p)) / 2
