# SPDX-License-Identifier: MIT
from chainer.training.triggers import _passing


class ManualScheduleTrigger(_passing.PassingTrigger):
    """Fires at the given points, in iterations or epochs."""

    def __init__(self, points, unit):
        super(ManualScheduleTrigger, self).__init__(unit)
        self.points = points if isinstance(points, list) else [points]
        self.finished = False

    def _fires(self, before, now):
        if now >= max(self.points):
            self.finished = True
        return any([before < p <= now for p in self.points])
