# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import numpy

from chainer.training import extension


class FailOnNonNumber(extension.Extension):
    """Raises RuntimeError as soon as a parameter is not finite."""

    def __call__(self, trainer):
        for optimizer in trainer.updater.get_all_optimizers().values():
            for name, param in optimizer.target.namedparams(False):
                if not numpy.isfinite(param.array).all():
                    raise RuntimeError('Kill the process since parameters in optimizer \'{}\' diverge: {} is not '
                                       'finite. R.I.P.'.format(type(optimizer).__name__, name))
