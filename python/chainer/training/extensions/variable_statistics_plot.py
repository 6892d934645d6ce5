# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import os

import numpy

from chainer import variable
from chainer.backends import cuda
from chainer.training import extension
from chainer.training import util
from chainer.training.extensions import _plotting

_available = _plotting.installed()


class Reservoir(object):
    """A random sample of a stream of arrays, with their positions, in order."""

    def __init__(self, size, data_shape, dtype=numpy.float32):
        self.size = size
        self.data = numpy.zeros((size,) + tuple(data_shape), dtype)
        self.idxs = numpy.zeros((size,), numpy.int32)
        self.counter = 0

    def add(self, x, idx=None):
        if self.counter < self.size:
            place = self.counter
        elif self.counter >= self.size and numpy.random.randint(self.counter + 1) < self.size:
            place = self._make_room()
        else:
            place = None
        if place is not None:
            self.data[place] = x
            self.idxs[place] = self.counter if idx is None else idx
        self.counter += 1

    def _make_room(self):
        gone = numpy.random.randint(self.size)
        self.data[gone:-1] = self.data[gone + 1:]
        self.idxs[gone:-1] = self.idxs[gone + 1:]
        return self.size - 1

    def get_data(self):
        n = min(self.size, self.counter)
        return self.data[:n], self.idxs[:n]


class Statistician(object):
    """Mean, standard deviation and percentiles of an array."""

    def __init__(self, collect_mean, collect_std, percentile_sigmas):
        self.collect_mean, self.collect_std, self.percentile_sigmas = collect_mean, collect_std, percentile_sigmas

    def __call__(self, x, axis=0, dtype=None, xp=None):
        return self.collect(x, axis)

    def collect(self, x, axis):
        """Returns the statistics by name."""
        x = numpy.asarray(cuda.to_cpu(x))
        found = {}
        if self.collect_mean:
            found['mean'] = numpy.mean(x, axis=axis)
        if self.collect_std:
            found['std'] = numpy.std(x, axis=axis)
        if len(self.percentile_sigmas):
            found['percentile'] = numpy.percentile(x, self.percentile_sigmas, axis=axis)
        return found


class VariableStatisticsPlot(extension.Extension):
    """Plots the distribution of the values of variables and of their gradients (requires matplotlib)."""

    def __init__(self, targets, max_sample_size=1000, report_data=True, report_grad=True, plot_mean=True, plot_std=True,
                 percentile_sigmas=(0, 0.13, 2.28, 15.87, 50, 84.13, 97.72, 99.87, 100), trigger=(1, 'epoch'),
                 file_name='statistics.png', figsize=None, marker=None, grid=True):
        if file_name is None:
            raise ValueError('Missing output file name of statistics plot')
        self._vars = _collect(targets)
        if not self._vars:
            raise ValueError('Need at least one variables for which to collect statistics')
        if not (report_data or report_grad):
            raise ValueError('One of report_data and report_grad must be true')
        if not (plot_mean or plot_std or len(numpy.atleast_1d(percentile_sigmas))):
            raise ValueError('Nothing to plot')
        self._keys = [k for k, wanted in (('data', report_data), ('grad', report_grad)) if wanted]
        self._statistician = Statistician(plot_mean, plot_std, numpy.atleast_1d(percentile_sigmas))
        self._plot_mean, self._plot_std = plot_mean, plot_std
        self._trigger = util.get_trigger(trigger)
        self._file_name, self._figsize, self._marker, self._grid = file_name, figsize, marker, grid
        width = int(plot_mean) + int(plot_std) + len(self._statistician.percentile_sigmas)
        self._samples = {key: Reservoir(max_sample_size, (width,)) for key in self._keys}
        _plotting.available()

    @staticmethod
    def available():
        return _plotting.available()

    def __call__(self, trainer):
        if not _available:
            return
        for key in self._keys:
            arrays = [getattr(v, key) for v in self._vars]
            arrays = [cuda.to_cpu(a).ravel() for a in arrays if a is not None]
            if arrays:
                found = self._statistician(numpy.concatenate(arrays))
                kinds = [k for k in ('mean', 'std', 'percentile') if k in found]
                row = numpy.concatenate([numpy.atleast_1d(found[k]) for k in kinds])
                self._samples[key].add(row, idx=trainer.updater.iteration)
        if self._trigger(trainer):
            self.save_plot_using_module(os.path.join(trainer.out, self._file_name), _plotting.pyplot())

    def save_plot_using_module(self, file_path, plt):
        """Draws with a module such as matplotlib.pyplot."""
        columns = len(self._keys)
        figure, axes = plt.subplots(max(1, int(self._plot_mean or self._plot_std)
                                        + int(len(self._statistician.percentile_sigmas) > 0)),
                                    columns, figsize=self._figsize, squeeze=False)
        for column, key in enumerate(self._keys):
            data, positions = self._samples[key].get_data()
            start, row = 0, 0
            if self._plot_mean or self._plot_std:
                mean = data[:, 0] if self._plot_mean else numpy.zeros(len(data))
                if self._plot_std:
                    std = data[:, int(self._plot_mean)]
                    axes[0][column].errorbar(positions, mean, yerr=std, marker=self._marker)
                else:
                    axes[0][column].plot(positions, mean, marker=self._marker)
                start, row = int(self._plot_mean) + int(self._plot_std), 1
            if start < data.shape[1]:
                axes[row][column].plot(positions, data[:, start:], marker=self._marker)
            axes[0][column].set_title(key)
        for line in axes:
            for one in line:
                one.set_xlabel('iteration')
                if self._grid:
                    one.grid()
        figure.savefig(file_path)
        plt.close(figure)


def _collect(targets):
    found = []
    for target in targets if isinstance(targets, (list, tuple)) else [targets]:
        found.extend([target] if isinstance(target, variable.Variable) else target.params())
    return found
