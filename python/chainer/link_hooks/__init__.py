# SPDX-License-Identifier: MIT
from chainer.link_hooks.timer import TimerHook  # NOQA
