from chainer.link_hooks.timer import TimerHook  # NOQA
