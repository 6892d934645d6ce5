# SPDX-License-Identifier: MIT
"""Function nodes as hooks and readers of graphs see them."""
import gc
import importlib
import weakref

import numpy as np
import pytest

import chainer
import chainer.functions as F
from chainer import Variable


def rand(*shape):
    return Variable(np.random.RandomState(sum(shape)).uniform(0.2, 0.9, shape).astype('f'))


def images():
    return rand(2, 4, 6, 6)


def classes(y):
    """The classes of the graph's functions, from the last one on."""
    found, waiting = [], [y.creator_node]
    while waiting:
        f = waiting.pop()
        if f is not None and not any([f is g for g in found]):
            found.append(f)
            waiting += [x.creator_node for x in f.inputs]
    return ['%s.%s' % (type(f).__module__[len('chainer.functions.'):], type(f).__name__) for f in found]


LABELS = np.array([0, 1], 'i')
# The call, the class of its only node, and some of its attributes.
ROWS = [
    (lambda: F.relu(rand(2, 3)), 'activation.relu.ReLU', {}),
    (lambda: F.clipped_relu(rand(2, 3), 3.5), 'activation.clipped_relu.ClippedReLU', {'cap': 3.5}),
    (lambda: F.crelu(rand(2, 3), 0), 'activation.crelu.CReLU', {'axis': 0}),
    (lambda: F.elu(rand(2, 3), .3), 'activation.elu.ELU', {'alpha': .3}),
    (lambda: F.hard_sigmoid(rand(2, 3)), 'activation.hard_sigmoid.HardSigmoid', {}),
    (lambda: F.leaky_relu(rand(2, 3), .3), 'activation.leaky_relu.LeakyReLU', {'slope': .3}),
    (lambda: F.softmax(rand(2, 3, 4), 2), 'activation.softmax.Softmax', {'axis': 2}),
    (lambda: F.log_softmax(rand(2, 3)), 'activation.log_softmax.LogSoftmax', {'axis': 1}),
    (lambda: F.softplus(rand(2, 3), 2.), 'activation.softplus.Softplus', {'beta': 2., 'beta_inv': .5}),
    (lambda: F.prelu(rand(2, 3), rand(3)), 'activation.prelu.PReLUFunction', {}),
    (lambda: F.broadcast_to(rand(2, 1), (2, 3)), 'array.broadcast.BroadcastTo', {'_shape': (2, 3)}),
    (lambda: F.broadcast(rand(2, 1), rand(3))[1], 'array.broadcast.Broadcast', {}),
    (lambda: F.cast(rand(2), 'd'), 'array.cast.Cast', {'type': np.float64}),
    (lambda: F.concat((rand(2, 3), rand(2, 1))), 'array.concat.Concat', {'axis': 1}),
    (lambda: F.copy(rand(2), -1), 'array.copy.Copy', {'out_device': -1}),
    (lambda: F.depth2space(images(), 2), 'array.depth2space.Depth2Space', {'r': 2}),
    (lambda: F.dstack((rand(2, 3), rand(2, 3))), 'array.dstack.Dstack', {}),
    (lambda: F.expand_dims(rand(2), 1), 'array.expand_dims.ExpandDims', {'axis': 1}),
    (lambda: F.flipud(rand(2, 3)), 'array.flipud.FlipUD', {}),
    (lambda: rand(2, 3)[1, 0:2], 'array.get_item.GetItem', {'slices': (1, slice(0, 2, None))}),
    (lambda: F.hstack((rand(2, 3), rand(2, 3))), 'array.hstack.Hstack', {}),
    (lambda: F.im2col(images(), 3, 2, 1), 'array.im2col.Im2Col',
     {'kh': 3, 'kw': 3, 'sy': 2, 'sx': 2, 'ph': 1, 'pw': 1, 'dy': 1, 'dx': 1, 'cover_all': False}),
    (lambda: F.moveaxis(rand(2, 3), 0, 1), 'array.moveaxis.Moveaxis', {'source': (0,), 'destination': (1,)}),
    (lambda: F.pad(rand(2, 3), 1, 'constant'), 'array.pad.Pad', {'mode': 'constant', 'keywords': {}}),
    (lambda: F.pad_sequence([rand(2), rand(3)]), 'array.pad_sequence.PadSequence', {'length': None}),
    (lambda: F.repeat(rand(2, 3), 2, 0), 'array.repeat.Repeat', {'repeats': (2,), 'axis': 0}),
    (lambda: F.reshape(rand(2, 3), (3, 2)), 'array.reshape.Reshape', {'shape': (3, 2)}),
    (lambda: F.resize_images(images(), (3, 5)), 'array.resize_images.ResizeImages', {'out_H': 3, 'out_W': 5}),
    (lambda: F.select_item(rand(2, 3), LABELS), 'array.select_item.SelectItem', {}),
    (lambda: F.separate(rand(2, 3))[1], 'array.separate.Separate', {'axis': 0}),
    (lambda: F.split_axis(rand(2, 4), 2, 1)[0], 'array.split_axis.SplitAxis', {'sections': 2, 'indices': None}),
    (lambda: F.squeeze(rand(2, 1), 1), 'array.squeeze.Squeeze', {'axis': (1,)}),
    (lambda: F.stack((rand(2), rand(2)), 1), 'array.stack.Stack', {'axis': 1}),
    (lambda: F.swapaxes(rand(2, 3), 0, 1), 'array.swapaxes.Swapaxes', {'axis1': 0, 'axis2': 1}),
    (lambda: F.tile(rand(2), (2, 1)), 'array.tile.Tile', {'reps': (2, 1)}),
    (lambda: F.transpose(rand(2, 3, 4), (2, 0, 1)), 'array.transpose.Transpose', {'axes': (2, 0, 1)}),
    (lambda: F.bilinear(rand(2, 3), rand(2, 4), rand(3, 4, 5)), 'connection.bilinear.BilinearFunction', {}),
    (lambda: F.convolution_2d(images(), rand(3, 4, 3, 2), stride=(2, 1), pad=(1, 0), cover_all=True),
     'connection.convolution_2d.Convolution2DFunction',
     {'sy': 2, 'sx': 1, 'ph': 1, 'pw': 0, 'dy': 1, 'dx': 1, 'cover_all': True, 'groups': 1}),
    (lambda: F.convolution_nd(rand(1, 2, 5, 5, 5), rand(3, 2, 2, 2, 2), stride=2, pad=1),
     'connection.convolution_nd.ConvolutionND', {'ndim': 3, 'stride': (2, 2, 2), 'pad': (1, 1, 1), 'groups': 1}),
    (lambda: F.deconvolution_2d(images(), rand(4, 3, 3, 3), stride=2, pad=1),
     'connection.deconvolution_2d.Deconvolution2DFunction', {'sy': 2, 'ph': 1, 'outh': 11, 'outw': 11}),
    (lambda: F.embed_id(LABELS, rand(3, 2), -1), 'connection.embed_id.EmbedIDFunction', {'ignore_label': -1}),
    (lambda: F.linear(rand(2, 3), rand(4, 3), rand(4)), 'connection.linear.LinearFunction', {}),
    (lambda: F.shift(rand(1, 9, 5, 5)), 'connection.shift.Shift', {'kh': 3, 'kw': 3, 'dy': 1, 'dx': 1}),
    (lambda: F.contrastive(rand(2, 3), rand(2, 3), LABELS), 'loss.contrastive.Contrastive', {'margin': 1}),
    (lambda: F.huber_loss(rand(2, 3), rand(2, 3), 1.), 'loss.huber_loss.HuberLoss', {'delta': 1.}),
    (lambda: F.mean_absolute_error(rand(2), rand(2)), 'loss.mean_absolute_error.MeanAbsoluteError', {}),
    (lambda: F.triplet(rand(2, 3), rand(2, 3), rand(2, 3)), 'loss.triplet.Triplet', {'margin': .2}),
    (lambda: rand(2) + 3, 'math.basic_math.AddConstant', {'value': 3, 'label': '_ + 3'}),
    (lambda: rand(2) - 2., 'math.basic_math.AddConstant', {'value': -2., 'label': '_ + (-2.0)'}),
    (lambda: rand(2) / 2., 'math.basic_math.MulConstant', {'value': .5, 'label': '_ * 0.5'}),
    (lambda: rand(2) ** rand(2), 'math.basic_math.PowVarVar', {'label': '_ ** _'}),
    (lambda: rand(2) ** 2, 'math.basic_math.PowVarConst', {'value': 2}),
    (lambda: F.add(rand(2), rand(2), rand(2)), 'math.basic_math.MultiAdd', {'len': 3}),
    (lambda: F.clip(rand(2), .3, .5), 'math.clip.Clip', {'x_min': .3, 'x_max': .5}),
    (lambda: F.einsum('ij,jk->ik', rand(2, 3), rand(3, 2)), 'math.einsum.EinSum', {'in_subs': 'ij,jk'}),
    (lambda: F.exp(rand(2)), 'math.exponential.Exp', {'label': 'exp'}),
    (lambda: F.inv(Variable(np.array([[2, 1], [1, 3]], 'f'))), 'math.inv.Inv', {}),
    (lambda: F.logsumexp(rand(2, 3), 1), 'math.logsumexp.LogSumExp', {'axis': (1,)}),
    (lambda: F.matmul(rand(2, 3), rand(4, 3), transb=True), 'math.matmul.MatMul', {'transa': False, 'transb': True}),
    (lambda: F.max(rand(2, 3), 1, True), 'math.minmax.Max', {'axis': (1,), 'keepdims': True}),
    (lambda: F.sum(rand(2, 3), (0, 1)), 'math.sum.Sum', {'axis': (0, 1), 'keepdims': False}),
    (lambda: F.batch_normalization(images(), rand(4), rand(4), eps=1e-3),
     'normalization.batch_normalization.BatchNormalization', {'eps': 1e-3, 'decay': .9, 'axis': (0, 2, 3)}),
    (lambda: F.fixed_batch_normalization(images(), rand(4), rand(4), rand(4), rand(4)),
     'normalization.batch_normalization.FixedBatchNormalization', {'eps': 2e-5, 'key_axis': (1,)}),
    (lambda: F.layer_normalization(rand(2, 3), rand(3), rand(3)),
     'normalization.layer_normalization.LayerNormalization', {'eps': 1e-5}),
    (lambda: F.local_response_normalization(images(), 3, 1.5, 1e-3, .6),
     'normalization.local_response_normalization.LocalResponseNormalization',
     {'n': 3, 'k': 1.5, 'alpha': 1e-3, 'beta': .6}),
    (lambda: F.normalize(rand(2, 3), axis=1), 'normalization.l2_normalization.NormalizeL2', {'axis': (1,)}),
    (lambda: F.average_pooling_2d(images(), 3, 2, 1), 'pooling.average_pooling_2d.AveragePooling2D',
     {'kh': 3, 'kw': 3, 'sy': 2, 'sx': 2, 'ph': 1, 'pw': 1, 'cover_all': False}),
    (lambda: F.max_pooling_2d(images(), 3), 'pooling.max_pooling_2d.MaxPooling2D',
     {'kh': 3, 'sy': 3, 'ph': 0, 'cover_all': True}),
    (lambda: F.max_pooling_nd(rand(1, 2, 4, 4, 4), 2), 'pooling.max_pooling_nd.MaxPoolingND',
     {'ndim': 3, 'ksize': (2, 2, 2), 'stride': (2, 2, 2), 'pad': (0, 0, 0), 'cover_all': True}),
    (lambda: F.unpooling_2d(images(), 2), 'pooling.unpooling_2d.Unpooling2D', {'outh': 11, 'outw': 11}),
]


@pytest.mark.parametrize('call, name, attributes', ROWS, ids=[row[1].rpartition('.')[2] for row in ROWS])
def test_one_node_of_the_release(call, name, attributes):
    y = call()
    f = y.creator_node
    assert classes(y) == [name]
    module, _, last = ('chainer.functions.' + name).rpartition('.')
    assert type(f) is getattr(importlib.import_module(module), last)
    assert isinstance(f, chainer.FunctionNode)
    assert f._impl_name == last
    assert f.label == attributes.get('label', f.label)
    for key, value in attributes.items():
        assert getattr(f, key) == value
    assert f.rank == 0 and y.rank == 1 and y.node.rank == 1
    with pytest.raises(AttributeError):
        f.no_such_attribute


@pytest.mark.parametrize('call', [row[0] for row in ROWS], ids=[row[1].rpartition('.')[2] for row in ROWS])
def test_forward_and_backward(call):
    """A node computes the same again, and the graph behind one node has gradients."""
    y = call()
    f = y.creator_node
    again = f.forward(tuple([x.get_variable_or_none().array if x.data is None else x.data for x in f.inputs])) \
        if all([x.get_variable_or_none() is not None or x.data is not None for x in f.inputs]) else None
    if again is not None:
        assert any([a.shape == y.shape and np.allclose(a, y.array) for a in again])
    F.sum(y * y).backward()
    assert any([x.grad is not None or not x.requires_grad or x.get_variable_or_none() is None for x in f.inputs])


class Names(chainer.FunctionHook):
    name = 'Names'

    def __init__(self):
        self.forward, self.backward, self.pairs, self.ids = [], [], [], []

    def forward_preprocess(self, function, in_data):
        self.pairs.append(function)

    def forward_postprocess(self, function, in_data):
        assert self.pairs.pop() is function
        self.forward.append(type(function).__name__)
        self.ids.append((id(function), len(in_data)))

    def backward_preprocess(self, function, in_data, out_grad):
        self.pairs.append(function)

    def backward_postprocess(self, function, in_data, out_grad):
        assert self.pairs.pop() is function
        self.backward.append(type(function).__name__)


def test_hooks_see_one_function():
    x = rand(2, 3)
    with Names() as hook:
        y = F.logsumexp(F.normalize(x), axis=1)
        z = F.max(F.resize_images(images(), (3, 3)))
    assert hook.forward == ['NormalizeL2', 'LogSumExp', 'ResizeImages', 'Max']
    assert [n for _, n in hook.ids] == [1, 1, 1, 1]
    assert hook.ids[1][0] == id(y.creator_node) and hook.ids[3][0] == id(z.creator_node)
    with Names() as hook:
        F.sum(y).backward()
    assert [n for n in hook.backward if n in ('NormalizeL2', 'LogSumExp')] == ['LogSumExp', 'NormalizeL2']
    assert not hook.pairs


def test_hooks_without_graph():
    with chainer.no_backprop_mode(), Names() as hook:
        F.normalize(rand(2, 3))
        F.argmax(rand(2, 3), axis=1)
        F.accuracy(rand(2, 3), LABELS)
    assert hook.forward[:2] == ['NormalizeL2', 'ArgMax']


def test_hook_that_computes():
    """A hook may compute the function again, which it does not see."""
    class Again(chainer.FunctionHook):
        name = 'Again'
        seen = []

        def forward_postprocess(self, function, in_data):
            self.seen.append((type(function).__name__, function.forward(in_data)[0].shape))

    with Again() as hook:
        F.normalize(F.relu(rand(2, 3)))
    assert hook.seen == [('ReLU', (2, 3)), ('NormalizeL2', (2, 3))]


def test_timer_table():
    hook = chainer.function_hooks.TimerHook()
    with hook:
        F.normalize(F.normalize(rand(2, 3)))
    assert hook.summary()['NormalizeL2']['occurrence'] == 2 and len(hook.summary()) == 1


def test_hook_that_raises():
    class Bad(chainer.FunctionHook):
        name = 'Bad'

        def forward_preprocess(self, function, in_data):
            raise ValueError('no')

    with Bad(), pytest.raises(ValueError):
        F.normalize(rand(2, 3))
    with Names() as hook:
        F.normalize(rand(2, 3))
    assert hook.forward == ['NormalizeL2']


def test_identity_of_nodes():
    x = rand(2, 3)
    y = F.normalize(F.relu(x) + 1)

    def walk():
        found, n = [], y.node
        while n is not None:
            found.append(id(n))
            f = n.creator_node
            found.append(id(f))
            n = None if f is None else f.inputs[0]
        return found
    first = walk()
    rubbish = [object() for _ in range(50)]
    assert walk() == first and len(set(first)) == len(first) and rubbish
    y.creator_node.mark = 'mine'
    y.creator_node.inputs[0].mark = 'mine too'
    assert y.creator_node.mark == 'mine' and y.creator_node.inputs[0].mark == 'mine too'


def test_outputs_are_weak():
    y = F.separate(rand(2, 3))
    f = y[0].creator_node
    assert y[1].creator_node is f and [o().shape for o in f.outputs] == [(3,), (3,)]
    assert f.outputs[1]() is y[1].node
    assert isinstance(f.outputs[0], weakref.ref)
    y = y[1]
    gc.collect()
    assert f.outputs[0]() is None and f.outputs[1]() is y.node


def test_objects_outlive_the_graph():
    """What Python holds of a graph stays usable, and nothing else stays."""
    x = rand(2, 3)
    y = F.normalize(F.relu(x))
    node, f = y.node, y.creator_node
    relu = weakref.ref(f.inputs[0].creator_node)
    del y
    assert node.creator_node is f and type(f).__name__ == 'NormalizeL2' and f.eps == 1e-5
    del node
    assert f.outputs[0]() is None
    assert relu() is not None and f.inputs[0].creator_node is relu()
    del f
    assert relu() is None


def test_ranks():
    x = rand(2, 3)
    y = F.normalize(F.normalize(x)) + F.relu(x)
    f = y.creator_node
    assert [x.rank for x in f.inputs] == [2, 1] and f.rank == 2 and y.rank == 3
    F.sum(y).backward()
    assert x.grad.shape == x.shape


def test_rank_of_a_function_that_was_not_applied():
    F.normalize(rand(2, 3))
    f = chainer.FunctionNode()
    f.rank = 10
    x = rand(2)
    x.creator_node = f
    assert x.rank == 11 and x.node.rank == 11


def test_deep_graphs():
    y = rand(2, 3)
    for _ in range(20000):
        y = F.expand_dims(y, 0).reshape((2, 3))
    assert y.rank == 40000
    f = y.creator_node
    del y
    assert f.rank == 39999
    del f


def test_unchain():
    x = rand(2, 3)
    y = F.normalize(x)
    f = y.creator_node
    y.unchain_backward()
    assert y.creator_node is None and f.inputs is None
    y = F.normalize(x)
    y.creator_node.unchain()
    assert y.creator_node is None


def test_arrays_that_pass_through():
    """A function that returns its input is no node."""
    x = rand(2, 3)
    y = F.relu(x)
    assert F.broadcast_to(y, (2, 3)).creator_node is y.creator_node
    assert type(F.squeeze(y, ()).creator_node).__name__ in ('ReLU', 'Squeeze')
    assert type(y.creator_node).__name__ == 'ReLU'


def test_old_style_functions():
    x = rand(2, 3)
    y = F.softmax_cross_entropy(x, LABELS)
    assert type(y.creator_node) is chainer.function.FunctionAdapter
    assert y.creator_node.label == y.creator_node._impl_name == 'SoftmaxCrossEntropy'
    assert isinstance(y.creator, chainer.Function) and type(y.creator).__name__ == 'SoftmaxCrossEntropy'
    assert y.creator.ignore_label == -1 and y.creator.y.shape == (2, 3) and y.creator.node is y.creator_node
    z = type(y.creator)()(x, LABELS)
    assert np.allclose(z.array, y.array)
    z.backward()
    assert x.grad is not None


def test_cycles_through_composed_calls():
    """Garbage that contains a composed call is collected."""
    class Keeper(chainer.FunctionNode):
        def forward(self, inputs):
            return inputs[0],

        def backward(self, indexes, gys):
            return gys

    f = Keeper()
    y = F.normalize(f.apply((F.normalize(rand(2, 3)),))[0])
    f.y = y
    gone = weakref.ref(f)
    del f, y
    gc.collect()
    assert gone() is None


def test_collection_after_variables_that_failed():
    """A Variable whose arguments are wrong is not among those that the collector looks at."""
    test_cycles_through_composed_calls()
    for wrong in (np.zeros(2, complex), np.array(['a']), 'text'):
        for _ in range(20):
            with pytest.raises(TypeError):
                Variable(wrong)
    gc.collect()
    kept = [rand(2, 3) for _ in range(100)]
    test_cycles_through_composed_calls()
    assert kept


def test_nodes_held_during_collection():
    x = rand(2, 3)
    nodes = [F.normalize(x).creator_node for _ in range(10)]
    gc.collect()
    assert all([f.inputs[0] is x.node for f in nodes])


def test_label_of_a_style():
    y = F.relu(rand(2))
    graph = chainer.computational_graph.build_computational_graph((y,), function_style={'label': 'mine'})
    assert 'label="mine"' in graph.dump() and 'label="ReLU"' not in graph.dump()


def test_gradient_of_an_input_that_is_computed_from_another():
    from chainer.functions.math.basic_math import Mul
    x = Variable(np.float32([.5]))
    y, = Mul().apply((x, F.exp(x)))
    y.backward()
    np.testing.assert_allclose(x.grad, 1.5 * np.exp(.5), rtol=1e-6)


def test_nodes_find_their_living_variables():
    x = Variable(np.ones(3, 'f'))
    link = chainer.links.Linear(3, 2)
    y = F.relu(x)
    node = y.creator.inputs[0]
    assert node.get_variable_or_none() is x and node.get_variable() is x and node.data is x.array
    assert y.creator.outputs[0]().get_variable_or_none() is y
    z = F.sum(link(np.ones((1, 3), 'f')))
    inputs = [n.get_variable_or_none() for n in z.creator.inputs[0].creator.inputs]
    assert inputs[1] is link.W and inputs[2] is link.b
    del x
    assert node.get_variable_or_none() is None
    with pytest.raises(RuntimeError, match='exists no more'):
        node.retain_data()
    y.node.retain_data()
    assert (y.node.data == 1).all()


def test_zerograd_fills_the_gradient_in_place():
    x = Variable(np.ones(3, 'f'))
    x.grad = gradient = np.full(3, 2, 'f')
    with pytest.warns(DeprecationWarning):
        x.zerograd()
    assert (x.grad == 0).all() and (gradient == 0).all()
