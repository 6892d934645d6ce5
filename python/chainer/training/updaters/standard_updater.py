# SPDX-License-Identifier: MIT
from __future__ import absolute_import

from chainer._core import timeline
from chainer.dataset import convert
from chainer.dataset import iterator as iterator_module
from chainer.training import _updater


class StandardUpdater(_updater.Updater):
    """Takes a batch, converts it and updates with the main optimizer and the loss of the batch."""

    input_seconds = 0.  # that updates have waited for iterators

    def __init__(self, iterator, optimizer, converter=convert.concat_examples, device=None, loss_func=None,
                 loss_scale=None, auto_new_epoch=True):
        self._iterators = {'main': iterator} if isinstance(iterator, iterator_module.Iterator) else iterator
        self._optimizers = optimizer if isinstance(optimizer, dict) else {'main': optimizer}
        if device is not None and device >= 0:
            for one in self._optimizers.values():
                one.target.to_gpu(device)
        self.converter = converter
        self.loss_func = loss_func
        self.device = device
        self.iteration = 0
        self.loss_scale = loss_scale
        self.auto_new_epoch = auto_new_epoch
        for one in self._optimizers.values():
            if auto_new_epoch:
                one.use_auto_new_epoch = True
            if loss_scale is not None:
                one.loss_scaling(scale=loss_scale)

    @property
    def epoch(self):
        return self._iterators['main'].epoch

    @property
    def epoch_detail(self):
        return self._iterators['main'].epoch_detail

    @property
    def previous_epoch_detail(self):
        return self._iterators['main'].previous_epoch_detail

    @property
    def is_new_epoch(self):
        return self._iterators['main'].is_new_epoch

    def finalize(self):
        for iterator in self._iterators.values():
            iterator.finalize()

    def get_optimizer(self, name):
        return self._optimizers[name]

    def get_all_optimizers(self):
        return dict(self._optimizers)

    def get_iterator(self, name):
        return self._iterators[name]

    def update(self):
        self.update_core()
        self.iteration += 1

    def update_core(self):
        """Performs the update; subclasses may override it."""
        iterator, optimizer = self._iterators['main'], self._optimizers['main']
        begin = timeline.now()
        batch = iterator.next()
        self.input_seconds += timeline.now() - begin
        if timeline.on():
            timeline.tell('iterator', 'input', begin)
        arrays = self.converter(batch, self.device)
        call_with(arrays, optimizer.update, self.loss_func or optimizer.target)
        if self.auto_new_epoch and iterator.is_new_epoch:
            optimizer.new_epoch(auto=True)

    def serialize(self, serializer):
        for name, iterator in self._iterators.items():
            iterator.serialize(serializer['iterator:' + name])
        for name, optimizer in self._optimizers.items():
            optimizer.serialize(serializer['optimizer:' + name])
            optimizer.target.serialize(serializer['model:' + name])
        self.iteration = serializer('iteration', self.iteration)


def call_with(arrays, function, *first):
    """Calls a function with a converted batch: a tuple's arrays, a dictionary's by name, or one array."""
    if isinstance(arrays, tuple):
        return function(*first, *arrays)
    if isinstance(arrays, dict):
        return function(*first, **arrays)
    return function(*first, arrays)
