# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import numpy

from chainer import link
from chainer.backends import cuda


class AveragedModel(link.Chain):
    """A copy of a model whose weights are running averages of the model's.

    Exponential averages (Polyak), or equal ones (stochastic weight averaging, Izmailov et al., arXiv:1803.05407).
    Called, it calls the copy. It is saved and loaded with the number of updates.

    Args:
        model (Link): The model.
        decay (float): m = decay m + (1 - decay) w at each update; with None all updates count the same,
            m = m + (w - m) / n.

    .. code-block:: python

        averaged = L.AveragedModel(model)
        trainer.extend(extensions.WeightAverage(averaged))
        trainer.extend(extensions.Evaluator(test_iter, averaged.model))

    :ivar model: The copy with the averaged weights, to evaluate or save alone.
    :ivar n_averaged: The number of updates.
    """

    def __init__(self, model, decay=0.999):
        super(AveragedModel, self).__init__()
        if decay is not None and not 0 <= decay <= 1:
            raise ValueError('AveragedModel: decay must be from 0 to 1, not {}'.format(decay))
        with self.init_scope():
            self.model = model.copy(mode='copy')
        self.add_persistent('n_averaged', 0)
        self._decay = decay

    def update(self, model):
        """Takes in the weights of a model that is like the one this was made from, once after each update of the
        optimizer. The first update takes them over; parameters without values yet wait. Other values, as the statistics
        of batch normalization, are the model's."""
        means = {}
        if self.n_averaged > 0:
            means = {path: p.array for path, p in self.model.namedparams(include_uninit=False)}
            for path, p in self.model.namedparams(include_uninit=False):
                p.array = numpy.array(p.array) if isinstance(p.array, numpy.ndarray) else cuda.copy(p.array)
        self.model.copyparams(model)
        self.n_averaged = int(self.n_averaged) + 1
        rate = 1 / self.n_averaged if self._decay is None else 1 - self._decay
        for path, p in self.model.namedparams(include_uninit=False):
            mean = means.get(path)
            if mean is not None:
                mean += (p.array - mean) * p.array.dtype.type(rate)
                p.array = mean

    def forward(self, *args, **kwargs):
        return self.model(*args, **kwargs)
