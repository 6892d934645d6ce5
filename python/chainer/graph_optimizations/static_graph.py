# SPDX-License-Identifier: MIT
import functools
import weakref

import numpy

from chainer import _core
from chainer import link_hook
from chainer import variable
from chainer.graph_optimizations._schedule import ArrayInfo, ScheduleInfo, StaticScheduleFunction  # NOQA

_NUMBERS = (bool, int, float, complex, str, bytes, type(None), numpy.generic, numpy.dtype, type)


class _Place(object):
    """The position of a Variable in a list of them."""

    def __init__(self, index):
        self.index = index

    def __eq__(self, other):
        return isinstance(other, _Place) and other.index == self.index

    def __hash__(self):
        return hash(self.index)


class _NotStatic(TypeError):
    pass


def _described(value, found, constants):
    """Returns a description of arguments or results, whose Variables are appended to `found`. Other values raise
    _NotStatic unless constants are allowed."""
    if isinstance(value, numpy.ndarray) and constants:
        value = variable.Variable(value, requires_grad=False)
    if isinstance(value, variable.Variable):
        found.append(value)
        return _Place(len(found) - 1)
    if type(value) in (tuple, list):
        return (type(value),) + tuple([_described(v, found, constants) for v in value])
    if type(value) is dict:
        return (dict,) + tuple([(k, _described(v, found, constants)) for k, v in value.items()])
    if not constants:
        raise _NotStatic('the call returns an object of {}, which is no Variable'.format(type(value)))
    return (None, value)


def _filled(description, variables):
    if isinstance(description, _Place):
        return variables[description.index]
    kind, parts = description[0], description[1:]
    if kind is None:
        return parts[0]
    if kind is dict:
        return {k: _filled(part, variables) for k, part in parts}
    return kind([_filled(part, variables) for part in parts])


def _key(description):
    """Returns a hashable description: numbers and texts by value, other constants by identity."""
    if isinstance(description, _Place):
        return description
    kind, parts = description[0], description[1:]
    if kind is None:
        return _value(parts[0])
    if kind is dict:
        return (dict,) + tuple([(k, _key(part)) for k, part in parts])
    return (kind,) + tuple([_key(part) for part in parts])


def _value(v):
    if isinstance(v, _NUMBERS):
        return type(v), repr(v) if isinstance(v, (float, complex, numpy.generic)) else v
    if type(v) in (tuple, list):
        return (type(v),) + tuple([_value(e) for e in v])
    return type(v), id(v)


def _attributes(links):
    """Returns the attributes of links that are not parameters, persistent arrays or links."""
    found = []
    for link in links:
        persistent = link._persistent
        known = link._params.union(getattr(link, '_children', ()))
        for name, value in link.__dict__.items():
            if name in known or name == 'schedule_manager' or name in persistent and isinstance(value, numpy.ndarray):
                continue
            found.append((name, _value(value)))
    return tuple(found)


class ScheduleManager(object):
    """The schedules of a static chain, its attribute schedule_manager: `counts` are the calls that were recorded, that
    were replayed, and that ran define-by-run; `refused` is the reason if none is recorded any more."""

    def __init__(self, minimize_cache_size=True, verbosity_level=0, enable_double_backprop=False,
                 force_test_define_by_run=False):
        self.minimize_cache_size, self._verbosity_level = minimize_cache_size, verbosity_level
        self._options = minimize_cache_size, verbosity_level, enable_double_backprop, force_test_define_by_run
        self._core = _core.ScheduleManager(*self._options)
        self._keys = {}  # numbers of signatures: of arguments and attributes
        self._last_key = 0
        self._attributes, self._numbers_of_arguments, self._has_hooks = (), {}, False
        self._owner = None
        self._busy = False

    def __reduce__(self):
        return ScheduleManager, self._options

    def __deepcopy__(self, memo):
        return ScheduleManager(*self._options)

    counts = property(lambda self: self._core.counts)
    refused = property(lambda self: self._core.refused)

    def get_schedule(self, in_vars, enable_double_backprop=False):
        """Returns an empty schedule of calls on arrays."""
        return StaticScheduleFunction(self, self._verbosity_level, enable_double_backprop)

    def end_forward(self):
        """Ends a forward pass without backward, as between the iterations of a loop that never differentiates."""
        self._core.end_forward()

    def __repr__(self):
        return 'ScheduleManager: {} calls recorded, {} replayed, {} define-by-run{}'.format(
            *self.counts, '; refused: ' + self.refused if self.refused else '')

    def _number_of(self, arguments):
        """Returns the number of a call with these arguments and the present attributes."""
        if arguments not in self._numbers_of_arguments:
            signature = arguments, self._attributes
            if signature not in self._keys:
                if len(self._keys) >= 1000:
                    self._keys.clear()
                self._last_key += 1
                self._keys[signature] = self._last_key
            if len(self._numbers_of_arguments) >= 1000:
                self._numbers_of_arguments.clear()
            self._numbers_of_arguments[arguments] = self._keys[signature]
        return self._numbers_of_arguments[arguments]

    def _call(self, method, link, args, kwargs):
        if self._busy or self._core.refused or link_hook._get_link_hooks():
            return method(link, *args, **kwargs)
        if not self._core.holds():
            links = list(link.links())
            self._has_hooks = any([s._local_link_hooks for s in links])
            self._core.set_state(link, links)
            self._attributes = _attributes(links)
            self._numbers_of_arguments = {}
        if self._has_hooks:
            return method(link, *args, **kwargs)
        given = []
        description = _described([list(args), kwargs], given, True)
        outside = []  # the result of the method, if it is not one of a static chain

        def run(variables):
            own_args, own_kwargs = _filled(description, variables)
            result = method(link, *own_args, **own_kwargs)
            found = []
            try:
                structure = _described(result, found, False)
            except _NotStatic as error:
                _core.refuse_recording(str(error))
                outside.append(result)
                return [], None
            if _core.is_recording():
                now = _attributes(link.links())
                if now != self._attributes:
                    _core.refuse_recording(_difference(self._attributes, now))
            return found, structure

        self._busy = True
        try:
            results, structure = self._core.call(
                type(link).__name__, run, given, [self._number_of(_key(description))])
        finally:
            self._busy = False
        return outside[0] if outside else _filled(structure, results)


def _difference(before, after):
    for name, value in after:
        if (name, value) not in before:
            return 'the call sets the attribute {} of a link'.format(name)
    return 'the call removes attributes of links'


def static_graph(*args, **kwargs):
    """Marks a method of a chain whose graph is the same in every call: @static_graph or @static_graph(options).

    The first call with arguments of a shape, and its backward(), are recorded; later calls replay the recording without
    running the method. What a replay depends on is checked in each call: shapes and dtypes, the configuration, other
    arguments, and the attributes of the link and its descendants (numbers and texts by value, other objects by
    identity). A method is not replayed, but runs in every call, if it reads elements of arrays outside of functions
    (``x.array``), uses ndarrays that it makes, sets attributes of links, or returns anything but Variables:
    ``chain.schedule_manager.refused`` is the reason. Code that must run in every call is marked by static_code.

    Args:
        force_test_define_by_run (bool): Calls in test mode run the method.
        minimize_cache_size (bool): Limits the memory of schedules that are not in use.
        verbosity_level (int): With 1, prints to standard error when a call is recorded; with 2, each call.
        enable_double_backprop (bool): Calls with a graph run the method, so that gradients of gradients exist.
    """
    known = ('force_test_define_by_run', 'minimize_cache_size', 'verbosity_level', 'enable_double_backprop')
    unknown = sorted(set(kwargs) - set(known))
    if unknown:
        raise TypeError('static_graph() has no option {}'.format(', '.join(unknown)))

    def decorate(method):
        @functools.wraps(method)
        def call(self, *inputs, **options):
            manager = self.__dict__.get('schedule_manager')
            if manager is None or manager._owner is None or manager._owner() is not self:
                manager = ScheduleManager(**kwargs)
                manager._owner = weakref.ref(self)
                object.__setattr__(self, 'schedule_manager', manager)
            return manager._call(method, self, inputs, options)
        return call
    if len(args) == 1 and not kwargs and callable(args[0]):
        return decorate(args[0])
    if args:
        raise TypeError('static_graph() takes options by name')
    return decorate
