from chainer.function_hooks.timer import TimerHook  # NOQA
from chainer.function_hooks.debug_print import PrintHook  # NOQA
