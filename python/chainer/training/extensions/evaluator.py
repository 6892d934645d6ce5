# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import copy
import warnings

from chainer import configuration
from chainer import link
from chainer import reporter as reporter_module
from chainer.dataset import convert
from chainer.dataset import iterator as iterator_module
from chainer.training import extension
from chainer.training.updaters.standard_updater import call_with


class Evaluator(extension.Extension):
    """Computes means of the target's reported values over a validation set."""

    trigger = 1, 'epoch'
    default_name = 'validation'
    priority = extension.PRIORITY_WRITER
    name = None

    def __init__(self, iterator, target, converter=convert.concat_examples, device=None, eval_hook=None,
                 eval_func=None):
        self._iterators = {'main': iterator} if isinstance(iterator, iterator_module.Iterator) else iterator
        self._targets = {'main': target} if isinstance(target, link.Link) else target
        self.converter = converter
        self.device = device
        self.eval_hook = eval_hook
        self.eval_func = eval_func
        for name, one in self._iterators.items():
            if getattr(one, 'repeat', False) or getattr(one, '_repeat', False):
                warnings.warn('The iterator {!r} of the evaluator repeats, so that the evaluation may never end. '
                              'Iterators for evaluation are made with repeat=False.'.format(name))

    def get_iterator(self, name):
        return self._iterators[name]

    def get_all_iterators(self):
        return dict(self._iterators)

    def get_target(self, name):
        return self._targets[name]

    def get_all_targets(self):
        return dict(self._targets)

    def __call__(self, trainer=None):
        """Evaluates, reports the means and returns them; the trainer is optional."""
        reporter = reporter_module.Reporter()
        prefix = self.name + '/' if self.name is not None else ''
        for name, target in self._targets.items():
            reporter.add_observer(prefix + name, target)
            reporter.add_observers(prefix + name, target.namedlinks(skipself=True))
        with reporter, configuration.using_config('train', False):
            result = self.evaluate()
        reporter_module.report(result)
        return result

    def evaluate(self):
        """Evaluates over the main iterator and returns the means; subclasses may override it."""
        iterator = self._iterators['main']
        function = self.eval_func or self._targets['main']
        if self.eval_hook:
            self.eval_hook(self)
        if hasattr(iterator, 'reset'):
            iterator.reset()
        else:
            iterator = copy.copy(iterator)
        summary = reporter_module.DictSummary()
        for batch in iterator:
            observation = {}
            with reporter_module.report_scope(observation):
                arrays = self.converter(batch, self.device)
                with configuration.no_backprop_mode():
                    call_with(arrays, function)
            summary.add(observation)
        return summary.compute_mean()

    def finalize(self):
        for iterator in self._iterators.values():
            iterator.finalize()
