# SPDX-License-Identifier: MIT
import functools

from chainer.graph_optimizations._schedule import ArrayInfo, ScheduleInfo, StaticScheduleFunction  # NOQA


class ScheduleManager(object):
    """The schedule_manager of a static chain, without function."""

    def __init__(self, minimize_cache_size=True, verbosity_level=0):
        self.minimize_cache_size, self._verbosity_level = minimize_cache_size, verbosity_level

    def get_schedule(self, in_vars, enable_double_backprop=False):
        """Returns an empty schedule."""
        return StaticScheduleFunction(self, self._verbosity_level, enable_double_backprop)

    def end_forward(self):
        """Ends a forward pass without backward."""

    def __repr__(self):
        return 'ScheduleManager: every call defines its graph'


def static_graph(*args, **kwargs):
    """Marks a method of a chain whose graph is the same in every call: @static_graph or @static_graph(options)."""
    known = ('force_test_define_by_run', 'minimize_cache_size', 'verbosity_level', 'enable_double_backprop')
    unknown = sorted(set(kwargs) - set(known))
    if unknown:
        raise TypeError('static_graph() has no option {}'.format(', '.join(unknown)))

    def decorate(method):
        @functools.wraps(method)
        def call(self, *inputs, **options):
            if not hasattr(self, 'schedule_manager'):
                self.schedule_manager = ScheduleManager(
                    kwargs.get('minimize_cache_size', True), kwargs.get('verbosity_level', 0))
            return method(self, *inputs, **options)
        return call
    if len(args) == 1 and not kwargs and callable(args[0]):
        return decorate(args[0])
    if args:
        raise TypeError('static_graph() takes options by name')
    return decorate
