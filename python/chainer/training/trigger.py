# SPDX-License-Identifier: MIT
"""Names that were here in earlier releases."""
from chainer.training.triggers.interval_trigger import IntervalTrigger  # NOQA
from chainer.training.util import get_trigger  # NOQA
