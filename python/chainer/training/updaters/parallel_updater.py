# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import copy

import chainer
from chainer.dataset import convert
from chainer.training.updaters import standard_updater


class ParallelUpdater(standard_updater.StandardUpdater):
    """Splits a batch over copies of the model, sums their gradients and updates the main model."""

    def __init__(self, iterator, optimizer, converter=convert.concat_examples, models=None, devices=None,
                 loss_func=None, loss_scale=None, auto_new_epoch=True):
        super(ParallelUpdater, self).__init__(
            iterator, optimizer, converter, None, loss_func, loss_scale, auto_new_epoch)
        main = self.get_optimizer('main').target
        if models is None:
            if devices is None:
                raise ValueError('either models or devices must be specified')
            if 'main' not in devices:
                raise KeyError("ParallelUpdater: devices must have the key 'main', not only {}".format(list(devices)))
            models = {'main': main}
            for name in devices:
                if name != 'main':
                    models[name] = copy.deepcopy(main)
        if devices is None:
            devices = {name: -1 for name in models}
        for name, device in devices.items():
            if device is not None and device >= 0:
                models[name].to_gpu(device)
        self._models, self._devices = models, devices

    def connect_trainer(self, trainer):
        """Registers the copies with the reporter under their names."""
        main = self.get_optimizer('main').target
        for name, model in self._models.items():
            if model is not main:
                trainer.reporter.add_observer(name, model)
                trainer.reporter.add_observers(name, model.namedlinks(skipself=True))

    def update_core(self):
        iterator, optimizer = self.get_iterator('main'), self.get_optimizer('main')
        batch = iterator.next()
        others = [model for model in self._models.values() if model is not optimizer.target]
        losses = []
        for i, (name, model) in enumerate(self._models.items()):
            arrays = self.converter(batch[i::len(self._models)], self._devices[name])
            with chainer.force_backprop_mode():
                losses.append(standard_updater.call_with(arrays, self.loss_func or model))
        for model in self._models.values():
            model.cleargrads()
        for loss in losses:
            loss.backward(loss_scale=self.loss_scale)
        for model in others:
            optimizer.target.addgrads(model)
        optimizer.update()
        for model in others:
            model.copyparams(optimizer.target)
        if self.auto_new_epoch and iterator.is_new_epoch:
            optimizer.new_epoch(auto=True)
