# SPDX-License-Identifier: MIT
from __future__ import absolute_import

from chainer.dataset import iterator


class DaliIterator(iterator.Iterator):
    """Batches of an NVIDIA DALI pipeline, which is built at first use."""

    batch_size = None

    def __init__(self, pipeline, repeat=True):
        from chainer.utils import experimental
        experimental('chainer.iterators.DaliIterator')
        self.pipeline, self._repeat = pipeline, repeat
        self._is_build = False
        self.batch_size = pipeline.batch_size
        self.reset()

    @property
    def _epoch_size(self):
        self._build()
        return next(iter(self.pipeline.epoch_size().values()))

    def _build(self):
        if not self._is_build:
            self.pipeline.build()
            self._is_build = True

    def __next__(self):
        self._build()
        if not self._repeat and self.epoch > 0:
            raise StopIteration
        self._previous_epoch_detail = self.epoch_detail
        n = self._epoch_size
        self.current_position += self.batch_size
        self.is_new_epoch = self.current_position >= n
        if self.is_new_epoch:
            self.epoch += 1
            self.current_position = self.current_position - n if self._repeat else 0
        return self.pipeline.run()

    next = __next__

    @property
    def repeat(self):
        return self._repeat

    @property
    def epoch_detail(self):
        return self.epoch + self.current_position / self._epoch_size

    @property
    def previous_epoch_detail(self):
        return None if self._previous_epoch_detail < 0 else self._previous_epoch_detail

    def reset(self):
        self.current_position = 0
        self.epoch = 0
        self.is_new_epoch = False
        self._previous_epoch_detail = -1.

    def serialize(self, serializer):
        raise NotImplementedError('DALI pipelines are not serialized')
