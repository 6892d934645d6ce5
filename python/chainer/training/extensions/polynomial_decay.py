# SPDX-License-Identifier: MIT
from chainer.training.extensions import _decay


class PolynomialDecay(_decay.Decay):
    """Polynomial decay after a linear warm-up: as CosineShift with target + (init - target) (1 - p)^power."""

    def __init__(self, attr, max_count, init=None, target=0., warmup=0, warmup_start=0., power=1., optimizer=None):
        super(PolynomialDecay, self).__init__(attr, max_count, init, target, warmup, warmup_start, optimizer)
        if not power > 0:
            raise ValueError('PolynomialDecay: power must be positive, not {}'.format(power))
        self._power = power

    def _shape(self, p):
        return (1 - p) ** self._power
