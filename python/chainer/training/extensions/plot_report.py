# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import json
import os

import numpy

from chainer import reporter
from chainer import serializer as serializer_module
from chainer.training import extension
from chainer.training import util
from chainer.training.extensions import _plotting

_available = _plotting.installed()


class PlotReport(extension.Extension):
    """Plots observed values over iterations or epochs (requires matplotlib)."""

    def __init__(self, y_keys, x_key='iteration', trigger=(1, 'epoch'), postprocess=None, file_name='plot.png',
                 marker='x', grid=True):
        self._x_key = x_key
        self._y_keys = [y_keys] if isinstance(y_keys, str) else y_keys
        self._trigger = util.get_trigger(trigger)
        self._file_name, self._marker, self._grid = file_name, marker, grid
        self._postprocess = postprocess
        self._summary = reporter.DictSummary()
        self._data = {k: [] for k in self._y_keys}
        _plotting.available()

    @staticmethod
    def available():
        return _plotting.available()

    def __call__(self, trainer):
        if not _available:
            return
        observation = trainer.observation
        self._summary.add({k: observation[k] for k in self._y_keys if k in observation})
        if not self._trigger(trainer):
            return
        stats = self._summary.compute_mean()
        updater = trainer.updater
        stats.update({'epoch': updater.epoch, 'iteration': updater.iteration})
        for key, points in self._data.items():
            if key in stats:
                points.append((float(stats[self._x_key]), float(stats[key])))
        self._draw(os.path.join(trainer.out, self._file_name), stats)
        self._summary = reporter.DictSummary()

    def _draw(self, path, stats):
        plt = _plotting.pyplot()
        figure = plt.figure()
        axes = figure.add_subplot(111)
        axes.set_xlabel(self._x_key)
        if self._grid:
            axes.grid()
        for key, points in self._data.items():
            if points:
                xy = numpy.array(points)
                axes.plot(xy[:, 0], xy[:, 1], marker=self._marker, label=key)
        if axes.has_data():
            if self._postprocess is not None:
                self._postprocess(figure, axes, stats)
            legend = axes.legend(bbox_to_anchor=(1.05, 1), loc=2, borderaxespad=0.)
            figure.savefig(path, bbox_extra_artists=(legend,), bbox_inches='tight')
        plt.close(figure)

    def serialize(self, serializer):
        key = '_plot_{}'.format(self._file_name)
        if isinstance(serializer, serializer_module.Serializer):
            serializer(key, json.dumps(self._data))
        else:
            self._data = json.loads(str(serializer(key, '')))
