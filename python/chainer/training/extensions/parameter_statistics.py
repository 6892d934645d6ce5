# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import numpy

from chainer import reporter
from chainer.backends import cuda
from chainer.training import extension
from chainer.training import util

_SIGMAS = (0.13, 2.28, 15.87, 50, 84.13, 97.72, 99.87)


class ParameterStatistics(extension.Extension):
    """Observes statistics of the parameters of links and of their gradients."""

    default_name = 'parameter_statistics'
    priority = extension.PRIORITY_WRITER
    report_key_template = '{prefix}{link_name}{param_name}/{attr_name}/{function_name}'
    default_statistics = {
        'mean': numpy.mean,
        'std': numpy.std,
        'min': numpy.min,
        'max': numpy.max,
        'zeros': lambda x: numpy.count_nonzero(x == 0),
        'percentile': lambda x: numpy.percentile(x, _SIGMAS),
    }

    def __init__(self, links, statistics=default_statistics, report_params=True, report_grads=True, prefix=None,
                 trigger=(1, 'epoch'), skip_nan_params=False):
        self._links = links if isinstance(links, (list, tuple)) else (links,)
        if statistics is None:
            statistics = {}
        self._statistics = dict(statistics)
        attrs = [name for name, wanted in (('data', report_params), ('grad', report_grads)) if wanted]
        self._attrs = attrs
        self._prefix = prefix
        self._trigger = util.get_trigger(trigger)
        self._summary = reporter.DictSummary()
        self._skip_nan_params = skip_nan_params

    def register_statistics(self, name, function):
        """Adds a function of an array that returns a number or an array of numbers."""
        self._statistics[name] = function

    def __call__(self, trainer):
        found = {}
        for link in self._links:
            for name, param in link.namedparams():
                for attr in self._attrs:
                    array = getattr(param, attr)
                    if array is None:
                        continue
                    for function_name, function in self._statistics.items():
                        key = self.report_key_template.format(
                            prefix=self._prefix + '/' if self._prefix else '', link_name=link.name, param_name=name,
                            attr_name=attr, function_name=function_name)
                        self._add(found, key, self._compute(function, array))
        self._summary.add(found)
        if self._trigger(trainer):
            reporter.report(self._summary.compute_mean())
            self._summary = reporter.DictSummary()

    def _compute(self, function, array):
        array = cuda.to_cpu(array)
        if self._skip_nan_params and (array.size == 0 or numpy.isnan(array).any()):
            return numpy.array(numpy.nan)
        return function(array)

    @staticmethod
    def _add(found, key, value):
        value = numpy.asarray(value)
        if value.ndim == 0:
            found[key] = value
        else:
            for i, v in enumerate(value.ravel()):
                found['{}/{}'.format(key, i)] = v
