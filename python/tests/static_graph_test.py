# SPDX-License-Identifier: MIT
"""Static graphs: replayed calls have the values, gradients and random numbers of calls that define their graph."""
import copy
import pickle
import threading

import numpy
import pytest

import chainer
from chainer import functions as F
from chainer import links as L
from chainer import static_code, static_graph


class Net(chainer.Chain):
    """A chain whose method `body` is called directly or as a static graph."""

    def __init__(self, static=True, **children):
        super(Net, self).__init__()
        self.static = static
        with self.init_scope():
            for name, child in children.items():
                setattr(self, name, child)

    def forward(self, *args, **kwargs):
        return self.recorded(*args, **kwargs) if self.static else self.body(*args, **kwargs)

    @static_graph
    def recorded(self, *args, **kwargs):
        return self.body(*args, **kwargs)


def batches(count=30, rows=6, size=5, seed=1):
    rs = numpy.random.RandomState(seed)
    for _ in range(count):
        yield rs.rand(rows, size).astype('f'), rs.randint(0, 3, rows).astype('i')


def trained(net, data):
    """Returns the losses and all parameters and persistent arrays after training."""
    model = L.Classifier(net)
    optimizer = chainer.optimizers.Adam().setup(model)
    losses = []
    for x, t in data:
        loss = model(x, t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(float(loss.array))
    state = chainer.serializers.DictionarySerializer()
    state.save(model)
    return losses, {k: numpy.array(v) for k, v in state.target.items()}


def both(make, data=batches, rtol=0):
    """Trains with and without replays, and compares. Returns the manager of the static chain."""
    results = []
    for static in (False, True):
        numpy.random.seed(0)
        net = make(static)
        results.append(trained(net, data()))
    (losses, state), (static_losses, static_state) = results
    numpy.testing.assert_allclose(losses, static_losses, rtol=rtol)
    assert state.keys() == static_state.keys()
    for key in state:
        numpy.testing.assert_allclose(state[key], static_state[key], rtol=rtol, atol=rtol, err_msg=key)
    return net.schedule_manager


def most_are_replayed(manager):
    recorded, replayed, define_by_run = manager.counts
    assert manager.refused == '' and replayed > 20, manager
    return True


def test_linear_links_train_as_by_themselves():
    class MLP(Net):
        def body(self, x):
            return self.l2(F.relu(self.l1(x)))
    assert most_are_replayed(both(lambda static: MLP(static, l1=L.Linear(None, 8), l2=L.Linear(8, 3))))


def test_convolutions_and_normalization_train_as_by_themselves():
    class Convolutional(Net):
        def body(self, x):
            h = F.reshape(x, (-1, 1, 5, 1))
            return self.l(F.relu(self.bn(self.c(h))))
    assert most_are_replayed(both(lambda static: Convolutional(
        static, c=L.Convolution2D(1, 4, (3, 1)), bn=L.BatchNormalization(4), l=L.Linear(None, 3))))


@pytest.mark.parametrize('noise', [
    lambda x: F.dropout(x, 0.4), lambda x: F.gaussian(x, x * 0.1), lambda x: F.rrelu(x), lambda x: F.zoneout(x, x * 2)])
def test_random_numbers_are_drawn_in_each_replay(noise):
    class Noisy(Net):
        def body(self, x):
            return self.l2(noise(self.l1(x)))
    # Without replays, exp() of gaussian() is NumPy's.
    assert most_are_replayed(both(lambda static: Noisy(static, l1=L.Linear(5, 8), l2=L.Linear(8, 3)), rtol=1e-4))


def test_other_batches_are_other_schedules():
    class MLP(Net):
        def body(self, x):
            return self.l(x)

    def data():
        for a, b in zip(batches(rows=6), batches(rows=4, seed=2)):
            yield a
            yield b
    manager = both(lambda static: MLP(static, l=L.Linear(5, 3)), data)
    assert manager.counts[0] == 2 and manager.counts[1] > 50


def test_attributes_that_change_between_calls_are_seen():
    class Scaled(Net):
        scale = 1.0

        def body(self, x):
            return self.l(x) * self.scale
    net = Scaled(l=L.Linear(5, 3))
    x = numpy.ones((2, 5), 'f')
    with chainer.no_backprop_mode():
        one = net(x).array
        for scale in (2.0, 3.0, 1.0, -1, -2, 0.5):
            net.scale = scale
            for _ in range(3):
                numpy.testing.assert_array_equal(net(x).array, one * numpy.float32(scale))
    assert net.schedule_manager.counts[1] > 5


def test_other_arguments_are_part_of_what_is_recorded():
    class Powers(Net):
        def body(self, x, power, names=None, scale=1):
            return F.sum(x ** power) * scale
    net = Powers()
    x = numpy.array([1, 2], 'f')
    for _ in range(3):
        assert float(net(x, 2).array) == 5
        assert float(net(x, 3).array) == 9
        assert float(net(x, 2, scale=2).array) == 10
        assert float(net(x, 2, names={'a': 1}, scale=3).array) == 15


def test_lists_and_dictionaries_of_variables():
    class Several(Net):
        def body(self, xs, y):
            return {'sum': xs[0] + xs[1], 'parts': [y * 2, (y, )]}
    net = Several()
    for i in range(4):
        a, b, c = [chainer.Variable(numpy.full((2, ), v, 'f')) for v in (i, 1, 5)]
        out = net([a, b], c)
        assert list(out) == ['sum', 'parts'] and type(out['parts'][1]) is tuple
        numpy.testing.assert_array_equal(out['sum'].array, [i + 1, i + 1])
        F.sum(out['sum'] * out['parts'][0]).backward()
        numpy.testing.assert_array_equal(a.grad, [10, 10])
        numpy.testing.assert_array_equal(c.grad, [2 * (i + 1)] * 2)
        del out  # while results exist, the next call has a schedule of its own
    assert net.schedule_manager.counts[:2] == (1, 3)


def test_calls_that_cannot_be_replayed_run_the_method():
    class Reads(Net):
        def body(self, x):
            return x * 2 if float(x.array.sum()) > 0 else x * 3

    class Draws(Net):
        def body(self, x):
            return x + numpy.random.rand(2).astype('f')

    class Keeps(Net):
        def body(self, x):
            self.last = x * 2
            return self.last

    class Returns(Net):
        def body(self, x):
            return (x * 2).array

    class Mutates(Net):
        def body(self, x):
            self.calls.append(1)
            return x * 2
    for cls, why in ((Reads, 'reads elements'), (Draws, ''), (Keeps, 'attribute last'), (Returns, 'reads elements'),
                     (Mutates, 'attribute calls')):
        net = cls()
        net.calls = []
        ys = []
        for v in (1, -1, 2):
            y = net(chainer.Variable(numpy.full(2, v, 'f')))
            ys.append(y if isinstance(y, numpy.ndarray) else y.array)
        manager = net.schedule_manager
        assert manager.counts[1] == 0 and manager.refused and why in manager.refused, (cls, manager)
        if cls in (Keeps, Returns, Mutates):
            numpy.testing.assert_array_equal(ys, [[2, 2], [-2, -2], [4, 4]])
        elif cls is Reads:
            numpy.testing.assert_array_equal(ys, [[2, 2], [-3, -3], [4, 4]])
        else:
            assert not numpy.array_equal(ys[0] - 1, ys[2] - 2)
        assert len(net.calls) == (3 if cls is Mutates else 0)


def test_functions_written_in_python_run_in_each_replay():
    calls = []

    class Twice(chainer.FunctionNode):
        def forward(self, inputs):
            calls.append(1)
            self.retain_inputs((0,))
            return inputs[0] * 2 + inputs[0] ** 2,

        def backward(self, indexes, gy):
            x, = self.get_retained_inputs()
            return gy[0] * 2 * (1 + x),

    class Custom(Net):
        def body(self, x):
            return self.l2(Twice().apply((self.l1(x),))[0])
    assert most_are_replayed(both(lambda static: Custom(static, l1=L.Linear(5, 8), l2=L.Linear(8, 3))))
    assert len(calls) == 60


def test_functions_that_keep_arrays_as_attributes_are_not_replayed():
    class Mask(chainer.FunctionNode):
        def forward(self, inputs):
            self.mask = (numpy.random.rand(*inputs[0].shape) > 0.5).astype('f')
            return inputs[0] * self.mask,

        def backward(self, indexes, gy):
            return gy[0] * self.mask,

    class Custom(Net):
        def body(self, x):
            return Mask().apply((self.l(x),))[0]
    manager = both(lambda static: Custom(static, l=L.Linear(5, 3)))
    assert 'sets the attribute mask' in manager.refused


def test_static_code_runs_in_each_call():
    seen = []

    class Watched(Net):
        @static_code
        def look(self, inputs, outputs):
            seen.append(float(inputs[0].sum()))
            outputs[0][...] += 1
            return inputs[0] * 3,

        def body(self, x, count):
            y, = self.look(inputs=[x.array if False else x], outputs=[count])
            return F.sum(y + x)
    net = Watched()
    count = numpy.zeros(1, 'f')
    for v in (1, 2, 3):
        x = chainer.Variable(numpy.full(2, v, 'f'))
        with chainer.no_backprop_mode():
            assert float(net(x, count).array) == 8 * v
    assert seen == [2, 4, 6]
    assert net.schedule_manager.counts[:2] == (1, 2) and count[0] == 3


def test_hooks_and_modes_see_the_functions():
    class MLP(Net):
        def body(self, x):
            return self.l(F.relu(x))
    net = MLP(l=L.Linear(5, 3))
    x = numpy.ones((2, 5), 'f')
    for _ in range(3):
        net(x)
    with chainer.function_hooks.TimerHook() as hook:
        net(x)
    assert [f for f, _ in hook.call_history] == ['ReLU', 'LinearFunction']
    with chainer.using_config('train', False), chainer.no_backprop_mode():
        assert net(x).creator is None


def test_options():
    class Twice(chainer.Chain):
        @static_graph(enable_double_backprop=True)
        def forward(self, x):
            return x ** 3
    net = Twice()
    for _ in range(3):
        x = chainer.Variable(numpy.array([2.0], 'f'))
        gx, = chainer.grad([net(x)], [x], enable_double_backprop=True)
        ggx, = chainer.grad([gx], [x])
        assert float(ggx.array[0]) == 12
    with pytest.raises(TypeError, match='no option verbose'):
        static_graph(verbose=True)
    with pytest.raises(TypeError, match='by name'):
        static_graph(1)


def test_copies_have_schedules_of_their_own():
    class MLP(Net):
        def body(self, x):
            return self.l(x)
    net = MLP(l=L.Linear(5, 3))
    x = numpy.ones((2, 5), 'f')
    with chainer.no_backprop_mode():
        for _ in range(3):
            net(x)
        for other in (copy.deepcopy(net), net.copy('copy'), net.copy()):
            other.l.W.array = other.l.W.array * 2
            for _ in range(3):
                numpy.testing.assert_allclose(other(x).array, net(x).array * 2, rtol=1e-6)
            assert other.schedule_manager is not net.schedule_manager
    assert isinstance(pickle.loads(pickle.dumps(net.schedule_manager)), type(net.schedule_manager))


def test_a_parameter_that_gets_another_array():
    class MLP(Net):
        def body(self, x):
            return self.l(x)
    net = MLP(l=L.Linear(5, 3))
    x = numpy.ones((2, 5), 'f')
    for scale in (1, 2, 3):
        net.l.W.array = numpy.full((3, 5), scale, 'f')
        net.cleargrads()
        y = net(x)
        F.sum(y).backward()
        assert y.array[0, 0] == 5 * scale
        numpy.testing.assert_array_equal(net.l.W.grad, numpy.full((3, 5), 2))
        del y
    assert net.schedule_manager.counts[1] == 2


def test_an_error_in_the_method_leaves_the_chain_usable():
    class Fails(Net):
        fail = True

        def body(self, x):
            y = self.l(x)
            if self.fail:
                raise KeyError('wanted')
            return y
    net = Fails(l=L.Linear(5, 3))
    x = numpy.ones((2, 5), 'f')
    for _ in range(2):
        with pytest.raises(KeyError, match='wanted'):
            net(x)
    net.fail = False
    for _ in range(3):
        net.cleargrads()
        F.sum(net(x)).backward()
        numpy.testing.assert_array_equal(net.l.W.grad, numpy.full((3, 5), 2))


def test_threads():
    class MLP(Net):
        def body(self, x):
            return self.l2(F.relu(self.l1(x)))
    net = MLP(l1=L.Linear(5, 300), l2=L.Linear(300, 3))
    xs = [numpy.random.RandomState(i).rand(200, 5).astype('f') for i in range(4)]
    expected = [net.body(x).array for x in xs]
    wrong = []

    def work(i):
        with chainer.no_backprop_mode():
            for _ in range(50):
                if not numpy.array_equal(net(xs[i]).array, expected[i]):
                    wrong.append(i)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_a_chain_and_its_schedules_are_collected():
    import gc
    import weakref

    class MLP(Net):
        def body(self, x):
            return self.l(x)
    net = MLP(l=L.Linear(5, 3))
    for _ in range(3):
        F.sum(net(numpy.ones((2, 5), 'f'))).backward()
    gone = weakref.ref(net)
    del net
    gc.collect()
    assert gone() is None
