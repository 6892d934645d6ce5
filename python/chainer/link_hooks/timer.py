# SPDX-License-Identifier: MIT
import time

from chainer import link_hook
from chainer.function_hooks import timer


class TimerHook(timer.TimerHook, link_hook.LinkHook):
    """Measures the time of each link."""

    name = 'TimerHook'

    def __enter__(self):
        return link_hook.LinkHook.__enter__(self)

    def __exit__(self, *info):
        return link_hook.LinkHook.__exit__(self, *info)

    def forward_preprocess(self, args):
        self._running_stack.append(time.time())
        self._depth += 1

    def forward_postprocess(self, args):
        elapsed = time.time() - self._running_stack.pop()
        self._depth -= 1
        self.call_history.append((args.link.__class__.__name__, elapsed))
        if self._depth == 0:
            self._total_time += elapsed
