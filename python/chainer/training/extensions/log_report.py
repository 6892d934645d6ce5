# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import json
import os

import numpy

from chainer import reporter
from chainer import serializer as serializer_module
from chainer.training import extension
from chainer.training import util
from chainer.utils import _replaced


class LogReport(extension.Extension):
    """Writes means of observed values to a JSON file, one entry per interval."""

    def __init__(self, keys=None, trigger=(1, 'epoch'), postprocess=None, log_name='log'):
        self._keys = keys
        self._trigger = util.get_trigger(trigger)
        self._postprocess = postprocess
        self._log_name = log_name
        self._log = []
        self._init_summary()

    def _init_summary(self):
        self._summary = reporter.DictSummary()

    @property
    def log(self):
        """The entries: dictionaries of numbers."""
        return self._log

    def __call__(self, trainer):
        observation = trainer.observation
        if self._keys is not None:
            observation = {k: observation[k] for k in self._keys if k in observation}
        self._summary.add(observation)
        if not self._trigger(trainer):
            return
        entry = {name: float(value) for name, value in self._summary.compute_mean().items()}
        entry['epoch'] = trainer.updater.epoch
        entry['iteration'] = trainer.updater.iteration
        entry['elapsed_time'] = trainer.elapsed_time
        if self._postprocess is not None:
            self._postprocess(entry)
        self._log.append(entry)
        if self._log_name is not None:
            with _replaced.replaced(os.path.join(trainer.out, self._log_name.format(**entry))) as f:
                json.dump(self._log, f, indent=4)
        self._init_summary()

    def serialize(self, serializer):
        if hasattr(self._trigger, 'serialize'):
            self._trigger.serialize(serializer['_trigger'])
        try:
            self._summary.serialize(serializer['_summary'])
        except Exception:  # missing in snapshots of older releases
            import warnings
            warnings.warn('The statistics are not saved.')
        if isinstance(serializer, serializer_module.Serializer):
            serializer('_log', json.dumps(self._log))
        else:
            text = serializer('_log', '')
            self._log = json.loads(text.item() if isinstance(text, numpy.ndarray) else str(text))
