# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import contextlib
import copy
import json
import threading
import warnings

import numpy

import chainer
from chainer import configuration
from chainer import serializer as serializer_module

_thread = threading.local()


def _reporters():
    stack = getattr(_thread, 'reporters', None)
    if stack is None:
        stack = _thread.reporters = []
    return stack


class Reporter(object):
    """Collects the values passed to report(), under the names of their observers."""

    def __init__(self):
        self._observer_names = {}
        self.observation = {}

    def __enter__(self):
        _reporters().append(self)
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        _reporters().pop()

    @contextlib.contextmanager
    def scope(self, observation):
        """A scope that stores values in another dictionary."""
        old = self.observation
        self.observation = observation
        self.__enter__()
        try:
            yield
        finally:
            self.__exit__(None, None, None)
            self.observation = old

    def add_observer(self, name, observer):
        self._observer_names[id(observer)] = name

    def add_observers(self, prefix, observers):
        for name, observer in observers:
            self._observer_names[id(observer)] = prefix + name

    def report(self, values, observer=None):
        """Stores values; those of an observer are prefixed with its name."""
        if not configuration.config.keep_graph_on_report:
            values = {k: _without_graph(v) for k, v in values.items()}
        if observer is not None:
            observer_id = id(observer)
            if observer_id not in self._observer_names:
                raise KeyError('Given observer is not registered to the reporter.')
            name = self._observer_names[observer_id]
            for key, value in values.items():
                self.observation['%s/%s' % (name, key)] = value
        else:
            self.observation.update(values)


def _without_graph(value):
    if not isinstance(value, chainer.Variable):
        return value
    value = copy.copy(value)
    value.unchain()
    return value


def get_current_reporter():
    return _reporters()[-1]


def report(values, observer=None):
    """Passes values to the current reporter, if there is one."""
    if _reporters():
        _reporters()[-1].report(values, observer)


@contextlib.contextmanager
def report_scope(observation):
    """A scope that stores values in this dictionary."""
    current = _reporters()[-1]
    old = current.observation
    current.observation = observation
    try:
        yield
    finally:
        current.observation = old


def _value_of(d):
    return d.array if isinstance(d, chainer.Variable) else d


def _wide(d):
    """Returns a number or an array of one as float64: sums of many in fewer bits would stop growing."""
    if isinstance(d, numpy.generic):
        return numpy.float64(d)
    if isinstance(d, chainer.Variable) or getattr(d, 'ndim', -1) != 0:
        return d
    return d.astype(numpy.float64)


class Summary(object):
    """Mean and variance of a stream of values."""

    def __init__(self):
        self._x = 0.0
        self._x2 = 0.0
        self._n = 0

    def add(self, value, weight=1):
        value, weight = _wide(_value_of(value)), _wide(weight)
        self._x = self._x + weight * value
        self._x2 = self._x2 + weight * value * value
        self._n += weight

    def compute_mean(self):
        return self._x / self._n

    def make_statistics(self):
        mean = self.compute_mean()
        var = self._x2 / self._n - mean * mean
        return mean, numpy.sqrt(var * (var > 0))  # (rounding may make it negative)

    def serialize(self, serializer):
        try:
            self._x = serializer('_x', self._x)
            self._x2 = serializer('_x2', self._x2)
            self._n = serializer('_n', self._n)
        except KeyError:
            warnings.warn('The previous statistics are not saved.')


class DictSummary(object):
    """Summaries of dictionaries of numbers."""

    def __init__(self):
        self._summaries = {}

    def add(self, d):
        for k, v in d.items():
            w = 1
            if isinstance(v, tuple):
                v, w = v
                w = _value_of(w)
                if not numpy.isscalar(w) and not getattr(w, 'ndim', -1) == 0:
                    raise ValueError('Given weight to {} was not scalar.'.format(k))
            v = _value_of(v)
            if numpy.isscalar(v) and not isinstance(v, str) or getattr(v, 'ndim', -1) == 0:
                self._summaries.setdefault(k, Summary()).add(v, w)

    def compute_mean(self):
        return {name: s.compute_mean() for name, s in self._summaries.items()}

    def make_statistics(self):
        stats = {}
        for name, s in self._summaries.items():
            stats[name], stats[name + '.std'] = s.make_statistics()
        return stats

    def serialize(self, serializer):
        if isinstance(serializer, serializer_module.Serializer):
            names = list(self._summaries)
            serializer('_names', json.dumps(names))
            for i, name in enumerate(names):
                self._summaries[name].serialize(serializer['_summaries'][str(i)])
            return
        self._summaries.clear()
        try:
            names = json.loads(str(serializer('_names', '')))
        except KeyError:
            warnings.warn('The names of statistics are not saved.')
            return
        for i, name in enumerate(names):
            self._summaries.setdefault(name, Summary()).serialize(serializer['_summaries'][str(i)])
