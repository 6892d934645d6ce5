# SPDX-License-Identifier: MIT
"""Extensions that show and steer runs."""
import gc
import json
import os
import signal
import struct
import threading
import time
import urllib.request
import weakref

import numpy as np
import pytest

import chainer
from chainer import functions as F
from chainer import links as L
from chainer import run_report, tensorboard
from chainer.training import extension, extensions


class Net(chainer.Chain):
    def __init__(self):
        super(Net, self).__init__()
        with self.init_scope():
            self.l1, self.l2 = L.Linear(None, 5), L.Linear(5, 3)

    def forward(self, x):
        return self.l2(F.relu(self.l1(x)))


def make(out, epochs=3, optimizer=None, net=Net):
    """A run of five iterations per epoch."""
    np.random.seed(0)
    rng = np.random.RandomState(1)
    data = chainer.datasets.TupleDataset(rng.rand(20, 4).astype('f'), rng.randint(0, 3, 20).astype('i'))
    model = L.Classifier(net())
    optimizer = (optimizer or chainer.optimizers.Adam(0.01)).setup(model)
    updater = chainer.training.StandardUpdater(chainer.iterators.SerialIterator(data, 4, shuffle=False), optimizer)
    trainer = chainer.training.Trainer(updater, (epochs, 'epoch'), out=str(out))
    trainer.model, trainer.data = model, data
    trainer.extend(extensions.LogReport())
    return trainer


def at(iteration, action):
    """An extension that acts once, before extensions that read commands."""
    @extension.make_extension(priority=0)
    def once(trainer):
        if trainer.updater.iteration == iteration:
            action(trainer)
    return once


def records(folder):
    """The tags of an event folder's files, oldest first, and the text of all."""
    found = []
    for name in sorted(os.listdir(str(folder))):
        with open(os.path.join(str(folder), name), 'rb') as f:
            data = f.read()
        at = 0
        while at < len(data):
            size, = struct.unpack('<Q', data[at:at + 8])
            found.append(data[at + 12:at + 12 + size])
            at += 16 + size
        assert at == len(data)
    return found


def request(out, *commands):
    with open(os.path.join(str(out), 'commands'), 'w') as f:
        json.dump([{'name': name, 'request': {'created_at': '', 'status': 'OPEN', 'body': body, 'schedule': schedule,
                                              'by': 'test'}} for name, body, schedule in commands], f)


def responses(out):
    with open(os.path.join(str(out), 'commands')) as f:
        return [c.get('response') for c in json.load(f)]


def state(out):
    with open(os.path.join(str(out), 'progress')) as f:
        return json.load(f)['state']


def test_trainer_stops_and_takes_snapshots(tmp_path):
    trainer = make(tmp_path)
    trainer.extend(at(7, lambda t: t.stop()))
    assert not trainer.is_stopping
    trainer.run()
    assert trainer.updater.iteration == 7 and trainer.is_stopping
    assert not trainer.is_completed and not trainer.has_failed
    assert trainer.take_snapshot() == str(tmp_path / 'snapshot_iter_7')
    resumed = make(tmp_path)
    chainer.serializers.load_npz(str(tmp_path / 'snapshot_iter_7'), resumed)
    resumed.extend(extensions.snapshot(filename='state_{.updater.epoch}'))
    resumed.run()
    assert resumed.is_completed and os.path.basename(resumed.take_snapshot()) == 'state_3'
    assert (tmp_path / 'state_2').exists()


def test_tensorboard(tmp_path):
    trainer = make(tmp_path)
    board = extensions.TensorBoard(hparams={'units': 5, 'deep': True, 'kind': 'relu', 'none': None})
    trainer.extend(board)
    trainer.extend(at(3, lambda t: board.writer.text('note', 'übergabe', 3)))
    trainer.run()
    text = b'\n'.join(records(tmp_path / 'tensorboard'))
    for tag in ('main/loss', 'hyperparameters/alpha', 'run/seconds_per_iteration', 'parameters/predictor/l1/W',
                'gradients/predictor/l2/b', 'epoch/main/loss', 'units', 'kind', 'übergabe', 'predictor/l1'):
        assert tag.encode() in text, tag
    assert not chainer.config.keep_graph_on_report
    with pytest.raises(RuntimeError, match='while the trainer does not run'):
        board.writer.flush()


def test_tensorboard_continues(tmp_path):
    trainer = make(tmp_path, 1)
    trainer.extend(extensions.TensorBoard())
    trainer.extend(extensions.snapshot(filename='state'))
    trainer.run()
    before = len(records(tmp_path / 'tensorboard'))
    again = make(tmp_path, 2)
    again.extend(extensions.TensorBoard(scalars=(2, 'iteration'), histograms=None))
    chainer.serializers.load_npz(str(tmp_path / 'state'), again)
    again.run()
    new = records(tmp_path / 'tensorboard')[before:]
    assert any(b'main/loss' in r for r in new) and not any(b'parameters/predictor' in r for r in new)


def test_graph_is_kept_for_one_iteration(tmp_path):
    trainer = make(tmp_path)
    trainer.extend(extensions.DumpGraph('main/loss'))
    trainer.extend(extensions.TensorBoard())
    trainer.extend(extensions.HtmlReport())
    found = []
    trainer.extend(at(1, lambda t: found.append(weakref.ref(t.observation['main/loss'].creator_node or t))))
    trainer.extend(at(2, lambda t: found.append(t.observation['main/loss'].creator_node)))
    trainer.run()
    gc.collect()
    assert found[1] is None and not chainer.config.keep_graph_on_report
    assert (tmp_path / 'cg.dot').exists()


def test_writer(tmp_path):
    x = chainer.Variable(np.ones((2, 3), 'f'))
    model = L.Linear(3, 2)
    with tensorboard.Writer(str(tmp_path / 'board'), purge_step=3) as board:
        board.scalar('loss', F.sum(x), 1)
        board.scalar('loss', np.float32(2), 2)
        board.histogram('weights', model.W, 1)
        board.histogram('nothing', np.array([np.nan], 'f'), 1)
        try:
            board.image('picture', np.zeros((3, 4, 5), 'f'), 1)
        except RuntimeError as error:  # in wheels
            assert 'libpng' in str(error)
            board.text('picture', '', 1)
        board.hparams({'lr': 0.1}, ['loss'])
        board.graph(model(x), model)
        path = board.path
    with pytest.raises(ValueError, match='closed'):
        board.flush()
    assert os.listdir(str(tmp_path / 'board')) == [os.path.basename(path)]
    text = b'\n'.join(records(tmp_path / 'board'))
    assert b'weights' in text and b'picture' in text and b'nothing' not in text
    with pytest.raises(ValueError):
        tensorboard.Writer(str(tmp_path / 'other')).graph(x)
    (tmp_path / 'file').write_text('')
    with pytest.raises(OSError):
        tensorboard.Writer(str(tmp_path / 'file' / 'board'))


class Scaled(chainer.Chain):
    """A network with a function that is written in Python."""

    def __init__(self):
        super(Scaled, self).__init__()
        with self.init_scope():
            self.l1 = L.Linear(4, 3)

    def forward(self, x):
        class Twice(chainer.FunctionNode):
            def forward(self, inputs):
                return inputs[0] * 2,

            def backward(self, indexes, gy):
                return gy[0] * 2,
        return Twice().apply((self.l1(x),))[0]


@pytest.mark.parametrize('net', [Net, Scaled])
def test_html_report(tmp_path, net):
    trainer = make(tmp_path, net=net)
    trainer.extend(extensions.HtmlReport(arguments={'seed': 0}, profiled=3))
    trainer.run()
    with open(str(tmp_path / 'report.json')) as f:
        about = json.load(f)
    names = [f['name'] for f in about['profile']['functions']]
    assert about['profile']['iterations'] == 3 and any('Linear' in n for n in names)
    assert net is Net or 'Twice' in ' '.join(names)
    assert about['arguments'] == {'seed': '0'} and 'digraph' in about['graph']
    assert '/predictor/l1/W  (' in about['summary']
    assert len(about['statistics']['/predictor/l1/W']['std']) == 3
    page = (tmp_path / 'report.html').read_text(encoding='utf-8')
    assert 'main/loss' in page and '<svg' in page


def test_report_of_several_runs(tmp_path):
    for name in ('first', 'second'):
        make(tmp_path / name, 2).run()
    run_report.write([str(tmp_path / 'first'), str(tmp_path / 'second')], str(tmp_path / 'both.html'))
    page = (tmp_path / 'both.html').read_text(encoding='utf-8')
    assert 'first' in page and 'second' in page
    assert run_report.page(tmp_path / 'first').startswith('<!DOCTYPE html>')
    with pytest.raises(OSError):
        run_report.page(str(tmp_path / 'none'))


def test_commands(tmp_path):
    trainer = make(tmp_path, optimizer=chainer.optimizers.SGD(0.5))
    trainer.extend(extensions.CommandsExtension())
    rates = []
    trainer.extend(at(2, lambda t: request(
        tmp_path, ('adjust_hyperparams', {'hyperparam': {'lr': 0.25}}, None),
        ('adjust_hyperparams', {'hyperparam': {'speed': 1}}, None),
        ('adjust_hyperparams', {'hyperparam': {'lr': -1}}, None),
        ('take_snapshot', None, None),
        ('stop', None, {'key': 'iteration', 'value': 8}), ('dance', None, None))))
    trainer.extend(at(3, lambda t: time.sleep(0.05)))
    trainer.extend(lambda t: rates.append(t.updater.get_optimizer('main').lr), name='rates')
    trainer.run()
    assert trainer.updater.iteration == 8 and rates[0] == 0.5 and rates[-1] == 0.25
    found = responses(tmp_path)
    assert [r['status'] for r in found] == ['SUCCESS', 'FAILUE', 'FAILUE', 'SUCCESS', 'SUCCESS', 'FAILUE']
    assert found[0]['body']['optimizer'] == 'SGD' and found[0]['body']['before'] == {'lr': 0.5}
    assert os.path.exists(found[3]['body']['file']) and found[4]['body']['file'].endswith('snapshot_iter_8')
    assert state(tmp_path) == 'stopped'
    with open(str(tmp_path / 'hyperparams')) as f:
        assert json.load(f) == {'main': {'optimizer': 'SGD', 'hyperparam': {'lr': 0.25}}}
    # The snapshot has the new value.
    resumed = make(tmp_path, optimizer=chainer.optimizers.SGD(0.5))
    resumed.extend(extensions.CommandsExtension())
    chainer.serializers.load_npz(found[4]['body']['file'], resumed)
    resumed.run()
    assert resumed.updater.get_optimizer('main').lr == 0.25 and resumed.updater.iteration == 15
    assert state(tmp_path) == 'finished'


def failing(trainer):
    raise ValueError('on purpose')


def interrupted(trainer):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(1)


@pytest.mark.parametrize('action, error, last', [
    (failing, ValueError, 'failed'), (interrupted, KeyboardInterrupt, 'stopped')])
def test_state_of_a_run_that_breaks_off(tmp_path, action, error, last, capsys):
    trainer = make(tmp_path)
    for e in (extensions.CommandsExtension(), extensions.TensorBoard(), extensions.HtmlReport(),
              extensions.Trace(2, 8)):
        trainer.extend(e)
    trainer.extend(at(4, action))
    with pytest.raises(error):
        trainer.run()
    assert state(tmp_path) == last
    assert (tmp_path / 'report.html').exists() and (tmp_path / 'trace.json').exists()


def test_interrupt_of_a_paused_run(tmp_path):
    trainer = make(tmp_path)
    trainer.extend(extensions.CommandsExtension())
    trainer.extend(at(2, lambda t: request(tmp_path, ('pause', None, None))))
    trainer.extend(at(3, lambda t: time.sleep(0.05)))
    timer = threading.Timer(0.6, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        trainer.run()
    timer.join()
    assert trainer.updater.iteration in (2, 3) and state(tmp_path) == 'stopped'


@pytest.mark.skipif(not extensions.LivePage.available(), reason='built without libmicrohttpd')
def test_live_page(tmp_path, capfd):
    trainer = make(tmp_path)
    page = extensions.LivePage(args={'lr': 0.01})
    trainer.extend(page)
    seen = {}

    def post(name):
        q = urllib.request.Request(page.address + 'api/command', json.dumps({'name': name, 'body': {}}).encode(),
                                   {'X-Token': page.token, 'Content-Type': 'application/json'})
        return urllib.request.urlopen(q, timeout=10).read()

    def visit(trainer):
        seen['page'] = urllib.request.urlopen(page.address, timeout=10).read()
        post('pause')
        time.sleep(0.05)

        def go_on():
            for _ in range(100):
                time.sleep(0.05)
                if state(tmp_path) == 'paused':
                    seen['paused'] = trainer.updater.iteration
                    break
            post('resume')
        seen['thread'] = threading.Thread(target=go_on)
        seen['thread'].start()

    trainer.extend(at(3, visit))
    trainer.run()
    seen['thread'].join()
    assert b'<html' in seen['page'] and seen['paused'] in (3, 4)
    assert state(tmp_path) == 'finished' and json.load(open(str(tmp_path / 'args'))) == {'lr': '0.01'}
    assert '#token=' in capfd.readouterr().err
    with pytest.raises(RuntimeError, match='does not run'):
        page.address


def test_trace(tmp_path):
    trainer = make(tmp_path)
    trainer.extend(extensions.Trace(first=2, last=4))
    trainer.run()
    with open(str(tmp_path / 'trace.json')) as f:
        trace = json.load(f)
    names = [e['name'] for e in (trace['traceEvents'] if isinstance(trace, dict) else trace)]
    assert [n for n in names if n.startswith('iteration ')] == ['iteration 2', 'iteration 3', 'iteration 4']
    assert names.count('optimizer') == 3 and names.count('iterator') == 3 and 'LogReport' in names
    assert any('Linear' in n for n in names)
    with pytest.raises(ValueError, match='first <= last'):
        extensions.Trace(3, 2)


def test_dashboard(tmp_path):
    trainer = make(tmp_path / 'out')
    with open(str(tmp_path / 'lines'), 'w') as lines:
        trainer.extend(extensions.Dashboard(line_interval=0.001, out=lines))
        trainer.run()
    text = (tmp_path / 'lines').read_text(encoding='utf-8')
    assert 'main/loss' in text and len(text.splitlines()) >= 3
    with pytest.raises(ValueError, match='descriptor'):
        extensions.Dashboard(out=[])
    with pytest.raises(ValueError, match='interval'):
        with open(str(tmp_path / 'lines'), 'w') as lines:
            extensions.Dashboard(interval=0, out=lines)


def test_save_arguments(tmp_path):
    trainer = make(tmp_path, 1)
    trainer.extend(extensions.SaveArguments({'Größe': 3, 'path': None}))
    trainer.run()
    with open(str(tmp_path / 'args'), encoding='utf-8') as f:
        assert json.load(f) == {'Größe': '3', 'path': 'None'}


@pytest.mark.parametrize('name', ['cm.svg', 'cm.png'])
def test_confusion_matrix(tmp_path, name):
    trainer = make(tmp_path, 2)
    seen = chainer.datasets.TupleDataset(np.eye(3, dtype='f')[[0, 1, 1, 2]], np.array([0, 1, 2, -1], 'i'))
    report = extensions.ConfusionMatrixReport(
        chainer.iterators.SerialIterator(seen, 3, repeat=False, shuffle=False), lambda x: chainer.Variable(x),
        labels=['a', 'b', 'c'], file_name=name)
    assert report.counts is None
    trainer.extend(report)
    trainer.run()
    assert report.counts.tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 0]] and report.counts.dtype == np.int64
    assert (tmp_path / name).exists() or name == 'cm.png'
    with pytest.raises(ValueError, match='repeats'):
        extensions.ConfusionMatrixReport(chainer.iterators.SerialIterator(seen, 3), lambda x: x)


def test_confusion_matrix_refuses_labels(tmp_path):
    trainer = make(tmp_path, 1)
    bad = chainer.datasets.TupleDataset(np.eye(3, dtype='f'), np.array([0, 3, 0], 'i'))
    trainer.extend(extensions.ConfusionMatrixReport(
        chainer.iterators.SerialIterator(bad, 3, repeat=False), lambda x: chainer.Variable(x)))
    with pytest.raises(IndexError, match='not 3'):
        trainer.run(show_loop_exception_msg=False)


@pytest.mark.parametrize('decay', [0.5, None])
def test_averaged_model(decay):
    model = L.Linear(None, 2)
    averaged = L.AveragedModel(model, decay)
    averaged.update(model)
    assert averaged.model.W.array is None
    model(np.ones((1, 3), 'f'))
    w = [np.full((2, 3), v, 'f') for v in (1, 3, 8)]
    expected = {0.5: [1, 2, 5], None: [1, 5 / 3, 3.25]}[decay]  # the second to fourth updates
    for value, want in zip(w, expected):
        model.W.array = value
        averaged.update(model)
        assert averaged.model.W.array[0, 0] == pytest.approx(want)
        assert (value == value[0, 0]).all() and model.W.array is value
    assert averaged.n_averaged == 4
    assert averaged(np.ones((1, 3), 'f')).array[0, 0] == pytest.approx(3 * expected[-1])
    with pytest.raises(ValueError, match='decay'):
        L.AveragedModel(model, 1.5)


def test_weight_average_goes_on(tmp_path):
    def run(epochs, snapshot=None):
        trainer = make(tmp_path, epochs)
        averaged = L.AveragedModel(trainer.model, 0.9)
        trainer.extend(extensions.WeightAverage(averaged))
        trainer.extend(extensions.Evaluator(
            chainer.iterators.SerialIterator(trainer.data, 20, repeat=False), averaged.model))
        trainer.extend(extensions.snapshot(filename='state'))
        if snapshot:
            chainer.serializers.load_npz(snapshot, trainer)
        trainer.run()
        return averaged, trainer.observation['validation/main/loss']
    whole, loss = run(3)
    run(1)
    resumed, again = run(3, str(tmp_path / 'state'))
    assert float(loss) == float(again) and resumed.n_averaged == whole.n_averaged == 15
    assert (whole.model.predictor.l1.W.array == resumed.model.predictor.l1.W.array).all()


def test_standard_scaler(tmp_path):
    x = np.array([[1, 5, np.nan], [3, 5, 2], [5, 5, 4]], 'f')
    scaler = L.StandardScaler()
    with pytest.raises(RuntimeError, match='fit'):
        scaler(x)
    scaler.fit(x)
    assert scaler.mean.tolist() == [3, 5, 3] and scaler.scale[1:].tolist() == [1, 1]
    y = scaler(x)
    assert np.allclose(scaler.inverse(y).array[1:], x[1:]) and np.array_equal(scaler.transform(x)[1:], y.array[1:])
    chainer.serializers.save_npz(str(tmp_path / 's'), scaler)
    other = L.StandardScaler(3)
    chainer.serializers.load_npz(str(tmp_path / 's'), other)
    assert np.array_equal(other(x).array[1:], y.array[1:]) and other.mean.tolist() == [3, 5, 3]
    for bad, error in ((np.array([[True]]), TypeError), (np.zeros((0, 3), 'f'), ValueError),
                       (np.full((2, 1), np.nan), ValueError)):
        with pytest.raises(error):
            scaler.fit(bad)
    with pytest.raises(ValueError, match=r'\(3,\)'):
        scaler(np.zeros((2, 4), 'f'))


def test_runs_are_collected(tmp_path):
    trainer = make(tmp_path)
    for e in (extensions.TensorBoard(), extensions.HtmlReport(), extensions.CommandsExtension()):
        trainer.extend(e)
    trainer.run()
    gone = weakref.ref(trainer)
    del trainer, e
    gc.collect()
    assert gone() is None
