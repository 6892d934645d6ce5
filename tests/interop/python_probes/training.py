# SPDX-License-Identifier: MIT
"""The trainer with extensions and triggers on random schedules."""
import json
import os
import shutil
import tempfile

import numpy

import chainer
import chainer.links as L
from chainer import training
from chainer.training import extensions, triggers


def _trainer(r, folder, n=None, stop=None):
    n = n or r.int(3, 8)
    data = chainer.datasets.TupleDataset(r.array((n, 3)), r.array(n, 'i', 0, 1))
    model = L.Classifier(L.Linear(3, 2, initialW=r.array((2, 3))))
    opt = r.one(chainer.optimizers.SGD, chainer.optimizers.Adam, chainer.optimizers.MomentumSGD)()
    opt.setup(model)
    it = chainer.iterators.SerialIterator(data, r.int(1, n), shuffle=r.chance(0.5))
    updater = training.updaters.StandardUpdater(it, opt)
    return training.Trainer(updater, stop or (r.int(1, 3), r.one('epoch', 'iteration')), out=folder), data, model


def _with_folder(body):
    folder = tempfile.mkdtemp()
    try:
        body(folder)
    finally:
        shutil.rmtree(folder)


def _log(folder, see):
    for name in sorted(os.listdir(folder)):
        see(name if not name.startswith('tmp') else 'tmp')
    path = os.path.join(folder, 'log')
    if os.path.exists(path):
        with open(path) as f:
            for entry in json.load(f):
                entry.pop('elapsed_time', None)
                see(entry)


def run(r, see):
    def body(folder):
        trainer, data, model = _trainer(r, folder)
        trainer.extend(extensions.LogReport(trigger=(1, r.one('epoch', 'iteration'))))
        if r.chance(0.6):
            it = chainer.iterators.SerialIterator(data, 2, False, False)
            trainer.extend(extensions.Evaluator(it, model), **r.one({}, {'name': 'val'}, {'trigger': (2, 'iteration')}))
        if r.chance(0.4):
            trainer.extend(extensions.observe_lr())
        if r.chance(0.4):
            trainer.extend(extensions.observe_value('here', lambda t: t.updater.iteration))
        if r.chance(0.3):
            trainer.extend(extensions.ParameterStatistics(model, prefix=r.one(None, 'p')))
        if r.chance(0.3):
            trainer.extend(extensions.snapshot(filename='s_{.updater.iteration}'), trigger=(2, 'iteration'))
        if r.chance(0.3):
            trainer.extend(extensions.snapshot_object(model, 'm_{.updater.epoch}'))
        if r.chance(0.3):
            trainer.extend(extensions.dump_graph('main/loss'))
        if r.chance(0.3):
            trainer.extend(extensions.FailOnNonNumber())
        if r.chance(0.3):
            trainer.extend(extensions.PrintReport(['epoch', 'main/loss']))
        trainer.run()
        _log(folder, see)
        see(trainer.updater.iteration, trainer.updater.epoch, trainer.updater.epoch_detail,
            trainer.updater.previous_epoch_detail, trainer.updater.is_new_epoch, trainer.is_before_training)
        see(model.predictor.W.array, trainer.observation, sorted(trainer._extensions))
        see.attempt(trainer.run)
        see.attempt(trainer.get_extension, r.one('LogReport', 'Evaluator', 'none'))
        if r.chance(0.5):
            path = os.path.join(folder, 'state')
            chainer.serializers.save_npz(path, trainer)
            with numpy.load(path, allow_pickle=True) as z:
                see(sorted(z.files))
                for k in sorted(z.files):
                    if 'time' not in k and 'log' not in k and '_snapshot' not in k:
                        see(k, z[k])
    _with_folder(body)


def schedules(r, see):
    def body(folder):
        trainer, _, _ = _trainer(r, folder, stop=(r.int(2, 12), 'iteration'))
        opt = trainer.updater.get_optimizer('main')
        attr = r.one('lr', 'lr', 'alpha', 'eps', 'none')
        init, target = r.one(None, 0.5, 1), r.one(None, None, 0.1)
        first = r.one(0.1, 1.)
        extension = r.one(
            lambda: extensions.ExponentialShift(attr, r.one(0.5, 2, -1, 0.9), init, target),
            lambda: extensions.InverseShift(attr, r.one(0.5, 2), r.one(1, 2, 0.5), init, target),
            lambda: extensions.LinearShift(attr, (first, r.one(0.01, 2)), (r.int(0, 3), r.int(4, 8))),
            lambda: extensions.MultistepShift(attr, 0.5, [r.int(1, 3), r.int(4, 6)], first),
            lambda: extensions.PolynomialShift(attr, r.one(1, 2, 0.5, -2), r.int(2, 8), init, target),
            lambda: extensions.WarmupShift(attr, 0.1, r.int(1, 4), first),
            lambda: extensions.StepShift(attr, r.one(0.5, 2), r.int(1, 3), init, target))()
        values = []

        @training.make_extension(trigger=(1, 'iteration'), priority=-1)
        def record(t):
            values.append(getattr(opt, attr, None))
        trainer.extend(extension, trigger=(r.int(1, 2), 'iteration'))
        trainer.extend(record)
        try:
            trainer.run()
        finally:
            see(attr, values)
    _with_folder(body)


def fire(r, see):
    """When triggers fire, with values reported as observations."""
    stop = r.int(3, 10)
    unit = r.one('iteration', 'epoch')
    n, batch = r.int(2, 6), r.int(1, 3)
    key = r.one('loss', 'loss', 'none')
    trigger = r.one(
        lambda: training.get_trigger(r.one(None, (r.one(1, 2, 0.5, 3), unit), lambda t: True)),
        lambda: triggers.IntervalTrigger(r.one(1, 2, 1.5), r.one(unit, unit, 'day')),
        lambda: triggers.ManualScheduleTrigger(r.one(2, [1, 3], [0.5, 2], 4.5), unit),
        lambda: triggers.MaxValueTrigger(key, (r.int(1, 2), 'iteration')),
        lambda: triggers.MinValueTrigger(key, (r.int(1, 2), 'iteration')),
        lambda: triggers.BestValueTrigger(key, lambda a, b: b > a + 0.1, (1, 'iteration')),
        lambda: triggers.EarlyStoppingTrigger((1, 'iteration'), key, r.int(1, 3), r.one('auto', 'min', 'max', 'no'),
                                              False, (stop, 'iteration')),
        lambda: triggers.TimeTrigger(1000))()
    losses = [r.number() for _ in range(stop)]

    def body(folder):
        trainer = chainer.testing.get_trainer_with_mock_updater((stop, 'iteration'), iter_per_epoch=n)
        fired = []

        original = trainer.updater.update

        def both():
            original()
            chainer.report({'loss': losses[trainer.updater.iteration - 1]})
        trainer.updater.update = both
        trainer.extend(lambda t: fired.append(t.updater.iteration), name='x', trigger=trigger)
        try:
            trainer.run()
        finally:
            see(fired)
        if r.chance(0.5) and hasattr(trigger, 'serialize'):
            target = {}
            trigger.serialize(chainer.serializers.DictionarySerializer(target))
            see(sorted(target), {k: v for k, v in target.items() if v is None or numpy.asarray(v).dtype.kind != 'O'})
    _with_folder(body)


def extend(r, see):
    """Names, priorities and triggers of extensions."""
    def body(folder):
        trainer, _, _ = _trainer(r, folder, stop=(2, 'iteration'))
        order = []

        class Mine(training.Extension):
            priority = r.one(training.PRIORITY_READER, training.PRIORITY_WRITER, 10)
            trigger = (1, 'iteration')

            def __init__(self, text):
                self.text = text

            def initialize(self, t):
                order.append('start ' + self.text)

            def __call__(self, t):
                order.append(self.text)

            def finalize(self):
                order.append('end ' + self.text)
        for k in range(r.int(1, 4)):
            what = r.one(Mine(str(k)), lambda t, k=k: order.append('f%d' % k),
                         training.make_extension((1, 'iteration'), r.one(None, 'made'), r.one(None, 50, 300))(
                             lambda t, k=k: order.append('m%d' % k)))
            options = {}
            if r.chance(0.3):
                options['name'] = r.one('one', 'two', 'training')
            if r.chance(0.3):
                options['priority'] = r.int(0, 400)
            if r.chance(0.5):
                options['trigger'] = (1, 'iteration')
            see.attempt(trainer.extend, what, **options)
        see(list(trainer._extensions))
        trainer.run()
        see(order)
    _with_folder(body)


def updaters(r, see):
    n = r.int(2, 6)
    data = [(r.array(3), numpy.int32(r.int(0, 1))) for _ in range(n)]
    style = r.one('tuple', 'dict', 'one')
    if style == 'dict':
        data = [{'x': a, 't': b} for a, b in data]
    if style == 'one':
        data = [a for a, _ in data]
    model = L.Classifier(L.Linear(3, 2, initialW=r.array((2, 3)))) if style != 'one' else L.Linear(3, 1)
    loss = None if style != 'one' else lambda x: chainer.functions.sum(model(x))
    opt = chainer.optimizers.SGD(0.1).setup(model)
    it = chainer.iterators.SerialIterator(data, r.int(1, n + 1), r.chance(0.8), False)
    kind = r.one(training.updaters.StandardUpdater, training.updaters.StandardUpdater, training.updaters.ParallelUpdater)
    options = {'loss_func': loss}
    if kind is training.updaters.StandardUpdater:
        options['auto_new_epoch'] = r.chance(0.5)
        options['loss_scale'] = r.one(None, 2.)
        it = r.one(it, {'main': it})
    updater = kind(it, opt, **options)
    for _ in range(r.int(1, 5)):
        updater.update()
        see(updater.iteration, updater.epoch, updater.epoch_detail, updater.previous_epoch_detail, updater.is_new_epoch)
    see([p.array for _, p in sorted(model.namedparams())], sorted(updater.get_all_optimizers()), opt.epoch)
    see.attempt(updater.get_iterator, r.one('main', 'none'))
    updater.finalize()


def reporters(r, see):
    a, b = object(), object()
    reporter = chainer.Reporter()
    see.attempt(reporter.add_observer, 'a', a)
    reporter.add_observers('p/', [('x', b)])
    values = {'v': r.one(1, 2., numpy.float32(3), chainer.Variable(r.array(()))), 'w': r.number()}
    with reporter:
        chainer.report(values, *r.one([], [a], [b], [object()]))
        see(chainer.get_current_reporter() is reporter)
        seen = reporter.observation
    see(seen)
    summary = chainer.DictSummary()
    for _ in range(r.int(1, 4)):
        summary.add({'a': r.number(), 'b': (r.number(), r.int(1, 3)) if r.chance(0.5) else r.number(),
                     'c': numpy.float32(r.number()), 'd': r.one('s', None, 1)})
    see(summary.compute_mean(), summary.make_statistics())
    s = chainer.Summary()
    for _ in range(r.int(0, 3)):
        s.add(r.one(r.number(), r.array(2), 1), *([r.number()] if r.chance(0.3) else []))
    see.attempt(s.compute_mean)
    see.attempt(s.make_statistics)
    target = {}
    s.serialize(chainer.serializers.DictionarySerializer(target))
    see(target)
