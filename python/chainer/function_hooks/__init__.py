from chainer.function_hooks.timer import TimerHook  # NOQA
