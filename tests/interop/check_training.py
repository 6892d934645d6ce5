# SPDX-License-Identifier: MIT
"""Compares the lines of training_cases with release 5.4.0: check_training.py FILE. Ends with an error if any differs."""
import sys

import release  # noqa: F401  (the release on this machine's NumPy)
import chainer
from chainer import iterators, optimizer_hooks, optimizers, serializers  # noqa: F401  (lines name them)
from chainer.training import extensions, triggers  # noqa: F401
import compare_cases
import numpy as np


class Counted:
    """An updater that only counts, with its trainer."""

    def __init__(self, per_epoch=1):
        self.per_epoch, self.iteration = per_epoch, 0
        self.updater, self.observation, self.lr = self, {}, None

    epoch = property(lambda self: self.iteration // self.per_epoch)
    epoch_detail = property(lambda self: self.iteration / self.per_epoch)
    previous_epoch_detail = property(lambda self: (self.iteration - 1) / self.per_epoch)

    def get_optimizer(self, name):
        return self


def trigger(make, per_epoch, values, cut, saved):
    trainer, t, fired = Counted(per_epoch), make(), []
    for i, v in enumerate(values, 1):
        trainer.iteration = i
        trainer.observation = {} if np.isnan(v) else {'value': v}
        if t(trainer):
            fired.append(i)
        if i == cut:
            out = serializers.DictionarySerializer()
            if saved:
                t.serialize(out)
            t = make()
            t.serialize(serializers.NpzDeserializer(out.target))
    return fired


def iterator(make, n, batch, repeat, shuffle, seed):
    np.random.seed(seed)
    it, seen = make(list(range(n)), batch, repeat=repeat, shuffle=shuffle), []
    for _ in range(8):
        try:
            examples = it.next()
        except StopIteration:
            seen.append(None)
            continue
        seen.append((examples, it.epoch, bool(it.is_new_epoch), it.epoch_detail, it.previous_epoch_detail))
    if hasattr(it, 'finalize'):
        it.finalize()
    return seen


def schedule(make, lr):
    trainer, e = Counted(), make()
    trainer.lr = lr
    e.initialize(trainer)
    seen = [trainer.lr]
    for _ in range(9):
        e(trainer)
        seen.append(trainer.lr)
    return seen


def optimizer(make, hooks, start, slopes):
    link = chainer.Link()
    with link.init_scope():
        link.w = chainer.Parameter(np.array(start))
    o = make().setup(link)
    for hook in hooks:
        o.add_hook(hook)
    for g in np.array(slopes).reshape(-1, len(start)):
        link.w.grad = g.copy()
        o.update()
    return link.w.array.tolist()


def difference(kind, *case):
    """The comparison for compare_cases.main()."""
    *given, ours = case
    try:
        theirs = {'trigger': trigger, 'iterator': iterator, 'schedule': schedule, 'optimizer': optimizer}[kind](*given)
    except ZeroDivisionError:  # the release divides a target by a value that has fallen to zero
        return ''
    if kind in ('trigger', 'iterator'):
        return '' if ours == theirs else f'release {theirs}'
    return '' if np.allclose(ours, theirs, rtol=1e-9, atol=1e-12) else f'release {theirs}'


if __name__ == '__main__':
    sys.exit(compare_cases.main(difference, globals()))
